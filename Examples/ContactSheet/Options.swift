// SPDX-License-Identifier: MIT
import ImageCoding

/// What the command line asks for.
struct Options {
    static let usage = """
        usage: contact-sheet [FOLDER] [-o FILE] [--cell WxH] [--columns N]
        Without a folder, twelve generated pictures. FILE ends in png (contact-sheet.png by default), jpg or webp.
        """

    /// `nil` for generated pictures.
    var folder: String?
    var output = "contact-sheet.png"
    var format = ImageFormat.png
    var cell = PixelSize(width: 160, height: 160)
    var columns: Int?

    /// - Throws: ``Failure``, with the usage.
    init(_ arguments: [String]) throws {
        var words = arguments.makeIterator()
        func value() throws -> String {
            guard let word = words.next() else { throw Failure(description: Options.usage) }
            return word
        }
        while let word = words.next() {
            switch word {
            case "-o": output = try value()
            case "--cell":
                let sides = try value().split(separator: "x").map { Int($0) ?? 0 }
                guard sides.count == 2, sides.allSatisfy({ (1...10_000).contains($0) }) else {
                    throw Failure(description: Options.usage)
                }
                cell = PixelSize(width: sides[0], height: sides[1])
            case "--columns":
                guard let count = try Int(value()), count > 0 else { throw Failure(description: Options.usage) }
                columns = count
            case _ where word.hasPrefix("-") || folder != nil: throw Failure(description: Options.usage)
            default: folder = word
            }
        }
        switch output.split(separator: ".").last?.lowercased() {
        case "png": format = .png
        case "jpg", "jpeg": format = .jpeg
        case "webp": format = .webp
        default: throw Failure(description: Options.usage)
        }
    }
}
