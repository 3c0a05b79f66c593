// SPDX-License-Identifier: MIT
import WebImage

/// What an address asks to make of its source: `w320,h240,fill,top,webp,q75`, in any order.
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
    /// Which part is kept when a picture fills its box; the middle when `nil`.
    var gravity: Gravity?
    /// The colour below transparent pixels; `nil` leaves them transparent where the format can.
    var background: PixelColor?
    /// The pixels of the screen for each pixel of the layout, by which the box is multiplied.
    var pixelRatio = 1.0
    /// Whether an original that nothing else changes is written anew, without its metadata.
    var isStripped = false

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
            let kind: String
            do throws(AddressError) { kind = try read(word) } catch { throw Self.nearMiss(word) ?? error }
            guard kinds.insert(kind).inserted else { throw .option(word, "repeats or contradicts an earlier option") }
        }
        guard mode == .fit || (width != nil && height != nil) else {
            throw AddressError(
                status: 400, code: "invalidOptions", detail: "\(mode.rawValue) needs both a width and a height.")
        }
        guard gravity == nil || mode == .fill else {
            throw AddressError(status: 400, code: "invalidOptions", detail: "A gravity is for fill.")
        }
        guard pixelRatio == 1 || width != nil || height != nil else {
            throw AddressError(status: 400, code: "invalidOptions", detail: "dpr needs a width or a height.")
        }
    }

    /// - Returns: The kind of the option, of which an address may have one.
    mutating func read(_ word: some StringProtocol) throws(AddressError) -> String {
        if let format = Format(rawValue: String(word)) {
            self.format = format
            return "format"
        }
        if let mode = ResizeTransformer.Mode(rawValue: String(word)) {
            self.mode = mode
            return "mode"
        }
        if let gravity = Self.gravities[String(word)] {
            self.gravity = gravity
            return "gravity"
        }
        switch word {
        case "still": isStill = true
        case "strip": isStripped = true
        default: return try readValue(word)
        }
        return String(word)
    }

    private mutating func readValue(_ word: some StringProtocol) throws(AddressError) -> String {
        if word.hasPrefix("dpr") {
            pixelRatio = try Self.ratio(word)
            return "dpr"
        }
        if word.hasPrefix("bg") {
            background = try Self.color(word)
            return "bg"
        }
        if word.dropFirst().first?.isLetter == true { throw .option(word, "is unknown") }
        switch word.first {
        case "w": width = try Self.number(word, in: 1...Self.longestSide)
        case "h": height = try Self.number(word, in: 1...Self.longestSide)
        case "q": quality = try Self.number(word, in: 1...100)
        case "g": gravity = try Self.gravity(word)
        default: throw .option(word, "is unknown")
        }
        return word.first == "g" ? "gravity" : String(word.prefix(1))
    }

    private static let gravities: [String: Gravity] = [
        "center": .center, "top": .top, "bottom": .bottom, "left": .left, "right": .right, "topleft": .topLeft,
        "topright": .topRight, "bottomleft": .bottomLeft, "bottomright": .bottomRight,
    ]

    /// `g30:60`: the place of a face, in hundredths from the left and from the top.
    private static func gravity(_ word: some StringProtocol) throws(AddressError) -> Gravity {
        let parts = word.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let x = hundredths(parts[0]), let y = hundredths(parts[1]) else {
            throw .option(word, "takes two numbers from 0 to 100, such as g30:60")
        }
        return Gravity(x: x, y: y)
    }

    private static func hundredths(_ digits: some StringProtocol) -> Double? {
        guard (1...3).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(digits), number <= 100
        else { return nil }
        return Double(number) / 100
    }

    /// `dpr2` or `dpr1.5`: tenths from 1 to 5, so that one picture has few names.
    private static func ratio(_ word: some StringProtocol) throws(AddressError) -> Double {
        let text = word.dropFirst(3)
        let shapes = (10...50).map { $0 % 10 == 0 ? "\($0 / 10)" : "\($0 / 10).\($0 % 10)" }
        guard let tenths = shapes.firstIndex(of: String(text)) else {
            throw .option(word, "takes a number from 1 to 5, with one decimal at most")
        }
        return Double(tenths + 10) / 10
    }

    /// `bgffffff`: red, green and blue in hexadecimal digits.
    private static func color(_ word: some StringProtocol) throws(AddressError) -> PixelColor {
        let digits = word.dropFirst(2)
        guard digits.utf8.count == 6, digits.utf8.allSatisfy(isHexadecimal), let value = UInt32(digits, radix: 16)
        else { throw .option(word, "takes six hexadecimal digits in small letters, such as bgffffff") }
        return PixelColor(
            red: UInt8(value >> 16), green: UInt8(value >> 8 & 0xFF), blue: UInt8(value & 0xFF))
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
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
}
