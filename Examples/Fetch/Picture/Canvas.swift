// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// A part of a terminal for a picture, and how the terminal shows one.
struct Canvas: Sendable {
    enum Graphics: Sendable {
        /// The protocol of kitty, which takes files.
        case kitty
        /// Characters that divide a cell into 2 by 2 parts, with two colours.
        case quadrants
        /// Characters whose halves have two colours, for a console with few characters.
        case halves

        /// The best that a terminal is known to show; `nil` for none, also where the user wants no colours.
        init?(_ terminal: Terminal?) {
            guard let terminal, terminal.hasColours else { return nil }
            let environment = ProcessInfo.processInfo.environment
            self.init(environment["TERM"] ?? "", environment["TERM_PROGRAM"], isUnicode: Terminal.isUnicode)
        }

        /// The best that terminals of this type and program show.
        init?(_ type: String, _ program: String?, isUnicode: Bool) {
            let isKitty = ["kitty", "ghostty"].contains { type.contains($0) } || program == "WezTerm"
            guard isKitty || isUnicode else { return nil }
            self = isKitty ? .kitty : type == "linux" ? .halves : .quadrants
        }
    }

    let graphics: Graphics
    let columns: Int
    let rows: Int

    /// The pixels for a cell, which is twice as high as wide. A terminal that takes files scales them to its own.
    private var cell: PixelSize {
        graphics == .kitty ? PixelSize(width: 16, height: 32) : PixelSize(width: 2, height: 4)
    }

    /// Makes a picture fit.
    var thumbnail: ResizeTransformer {
        .resize(to: PixelSize(width: columns * cell.width, height: rows * cell.height))
    }

    /// The text that draws a picture at the bottom left of the canvas, whose top left corner is at the cursor.
    ///
    /// - Parameter picture: One that ``thumbnail`` has made.
    func painting(of picture: DecodedImage) throws -> String {
        let width = min(columns, (picture.width + cell.width - 1) / cell.width)
        let height = min(rows, (picture.height + cell.height - 1) / cell.height)
        let corner = Self.moved(down: rows - height)
        if graphics == .kitty {
            let file = try ImageCoders.default.encode(picture.firstFrame, as: .png)
            return corner + Self.sequences(file, "a=T,f=100,c=\(width),r=\(height),C=1,q=2")
        }
        let raster = Raster(picture, isHalved: graphics == .halves)
        let lines = (0..<height).map { row in (0..<width).map { raster.cell($0, row) }.joined() + "\u{1B}[0m" }
        return corner + lines.joined(separator: Self.moved(down: 1, left: width))
    }

    /// Moves the cursor; a movement by nothing would be one by one.
    static func moved(down: Int = 0, right: Int = 0, left: Int = 0) -> String {
        [(down, "B"), (right, "C"), (left, "D")].filter { $0.0 > 0 }.map { "\u{1B}[\($0)\($1)" }.joined()
    }

    /// - Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
    private static func sequences(_ file: [UInt8], _ keys: String) -> String {
        var (text, keys, rest) = ("", keys + ",", Data(file).base64EncodedString()[...])
        repeat {
            let part = rest.prefix(4_096)
            rest = rest.dropFirst(part.count)
            text += "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(part)\u{1B}\\"
            keys = ""
        } while !rest.isEmpty
        return text
    }
}
