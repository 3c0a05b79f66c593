// SPDX-License-Identifier: MIT
import WebImage

/// What an address asks to make of its source: `w320,h240,fill,webp,q75`, in any order.
struct PictureOptions: Sendable, Hashable {
    /// The format of the file.
    enum Format: String, Sendable, Hashable {
        /// WebP for clients that accept it, the format of the original for others.
        case auto
        /// The format of the original.
        case original
        case jpeg, png, gif, webp
    }

    /// The box in pixels; `nil` for a side without limit. A picture is never enlarged.
    var width: Int?
    var height: Int?
    var mode = ResizeTransformer.Mode.fit
    var format = Format.auto
    /// 1 to 100, for JPEG and lossy WebP.
    var quality = 80
    /// Whether an animation becomes its first frame.
    var isStill = false

    /// The longest side of a box, in pixels.
    static let longestSide = 8_192
    /// The longest text of options, in bytes.
    static let longestText = 200

    /// - Throws: ``AddressError`` that names the option.
    init(_ text: some StringProtocol) throws(AddressError) {
        guard text.utf8.count <= Self.longestText else {
            throw AddressError(status: 400, code: "invalidOptions", detail: "The options are too long.")
        }
        var kinds: Set<String> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let kind = try read(word)
            guard kinds.insert(kind).inserted else { throw .option(word, "repeats or contradicts an earlier option") }
        }
        guard mode == .fit || (width != nil && height != nil) else {
            throw AddressError(
                status: 400, code: "invalidOptions", detail: "\(mode.rawValue) needs both a width and a height.")
        }
    }

    /// - Returns: The kind of the option, of which an address may have one.
    private mutating func read(_ word: some StringProtocol) throws(AddressError) -> String {
        if let format = Format(rawValue: String(word)) {
            self.format = format
            return "format"
        }
        if let mode = ResizeTransformer.Mode(rawValue: String(word)) {
            self.mode = mode
            return "mode"
        }
        if word == "still" {
            isStill = true
            return "still"
        }
        switch word.first {
        case "w": width = try Self.number(word, in: 1...Self.longestSide)
        case "h": height = try Self.number(word, in: 1...Self.longestSide)
        case "q": quality = try Self.number(word, in: 1...100)
        default: throw .option(word, "is unknown")
        }
        return String(word.prefix(1))
    }

    private static func number(
        _ word: some StringProtocol, in range: ClosedRange<Int>
    ) throws(AddressError) -> Int {
        let digits = word.dropFirst()
        guard !digits.isEmpty, digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.first != "0", let number = Int(digits), range.contains(number)
        else {
            throw .option(word, "takes a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The transformers of a request.
    var transformers: [any ImageTransforming] {
        guard width != nil || height != nil else { return [] }
        // A side without limit is longer than any picture that is decoded.
        let box = PixelSize(width: width ?? 65_500, height: height ?? 65_500)
        return [ResizeTransformer(size: box, mode: mode)]
    }

    /// The format of the file for a client.
    func output(acceptsWebP: Bool) -> OutputFormat {
        switch format {
        case .auto: acceptsWebP ? .webp(quality: quality) : .original
        case .original: .original
        case .jpeg: .jpeg(quality: quality)
        case .png: .png
        case .gif: .gif
        case .webp: .webp(quality: quality)
        }
    }
}
