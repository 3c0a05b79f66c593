// SPDX-License-Identifier: MIT
extension PictureOptions {
    /// What is wrong with an option that other services or CSS write in another way, such as `width=320`, `320x240`,
    /// `format:jpg` or `crop`; `nil` for other words.
    static func nearMiss(_ word: some StringProtocol) -> AddressError? {
        if word.hasPrefix("exp") { return .option(word, "is the end of an address; it comes last, after an option") }
        let text = word.lowercased()
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        let candidate: String
        if sides.count <= 2, sides.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy({ (0x30...0x39).contains($0) }) }) {
            candidate = zip(["w", "h"], sides).map { $0 + $1 }.joined(separator: ",")
        } else {
            let name = String(text.prefix { $0.isLetter })
            let value = text.dropFirst(name.count).drop { "=:_#".contains($0) }
            if value.isEmpty {
                candidate = values[text] ?? text
            } else if let own = names[name] {
                candidate = own + (values[String(value)] ?? String(value))
            } else {
                return nil
            }
        }
        if unwritten.contains(candidate) { return .option(word, "is no format here; jpeg, png, gif and webp are") }
        guard candidate != word, var options = try? PictureOptions("auto") else { return nil }
        for part in candidate.split(separator: ",") {
            do throws(AddressError) { _ = try options.read(part) } catch { return nil }
        }
        return .option(word, "is written \(candidate)")
    }

    /// The beginning of an option by its name elsewhere; the empty one for an option that is its value alone.
    private static let names = [
        "width": "w", "w": "w", "height": "h", "h": "h", "quality": "q", "q": "q", "dpr": "dpr", "g": "g",
        "gravity": "", "background": "bg", "bg": "bg", "format": "", "fm": "", "f": "", "output": "", "mode": "",
        "fit": "", "resize": "", "crop": "",
    ]
    /// Values, and whole words, by their name elsewhere.
    private static let values = [
        "jpg": "jpeg", "cover": "fill", "crop": "fill", "contain": "fit", "inside": "fit", "force": "stretch",
        "north": "top", "south": "bottom", "west": "left", "east": "right", "centre": "center",
    ]
    private static let unwritten: Set = ["avif", "jxl", "heic", "heif", "tiff", "bmp", "ico", "svg", "pdf"]
}
