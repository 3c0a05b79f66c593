// SPDX-License-Identifier: MIT
import ImageCoding

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: contact-sheet [FOLDER] [-o FILE] [--page a4|letter|WxH] [--width N] [--row N] [--no-captions]
        Without a folder, twelve generated pictures. FILE ends in png (contact-sheet.png by default), jpg or webp.
        The rows are about 200 pixels high, or --row; the sheet is about square, or --width pixels wide. A page has all
        pictures, as large as they fit: a4 and letter with 150 pixels to an inch, upright.
        """

    private static let misunderstood = Failure(description: "these words are not understood\n\(usage)")

    /// `nil` for generated pictures.
    var folder: String?
    var output = "contact-sheet.png"
    var format = ImageFormat.png
    var page: PixelSize?
    var width: Int?
    var rowHeight = 200
    var hasCaptions = true

    /// - Throws: ``Failure``, with the usage.
    init(_ arguments: [String]) throws {
        var words = arguments.makeIterator()
        func value() throws -> String {
            guard let word = words.next() else { throw Options.misunderstood }
            return word
        }
        func number(_ text: String) throws -> Int {
            guard let number = Int(text), (50...10_000).contains(number) else {
                throw Options.misunderstood
            }
            return number
        }
        while let word = words.next() {
            switch word {
            case "-o": output = try value()
            case "--page": page = try Options.page(value())
            case "--width": width = try number(value())
            case "--row": rowHeight = try number(value())
            case "--no-captions": hasCaptions = false
            case _ where word.hasPrefix("-") || folder != nil: throw Options.misunderstood
            default: folder = word
            }
        }
        switch output.split(separator: ".").last?.lowercased() {
        case "png": format = .png
        case "jpg", "jpeg": format = .jpeg
        case "webp": format = .webp
        default: throw Options.misunderstood
        }
    }

    private static func page(_ text: String) throws -> PixelSize {
        switch text.lowercased() {
        case "a4": return PixelSize(width: 1_240, height: 1_754)
        case "letter": return PixelSize(width: 1_275, height: 1_650)
        default:
            let sides = text.split(separator: "x").map { Int($0) ?? 0 }
            guard sides.count == 2, sides.allSatisfy({ (100...10_000).contains($0) }) else {
                throw Options.misunderstood
            }
            return PixelSize(width: sides[0], height: sides[1])
        }
    }
}
