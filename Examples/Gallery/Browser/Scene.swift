// SPDX-License-Identifier: MIT
import WebImageBinding

/// The way in which pictures are drawn on the screen.
enum Graphics: String, Sendable, CaseIterable {
    /// Half blocks, 1 by 2 pixels to a character.
    case blocks
    /// Quarters of a character, two colours in each.
    case quadrants
    /// Eighths of a character, two colours in each.
    case octants
    case sixel, kitty

    /// Whether pictures are made of characters.
    var isText: Bool { self != .sixel && self != .kitty }
}

/// The size of a terminal.
struct TerminalSize: Hashable, Sendable {
    var columns = 80
    var rows = 24
    /// The size of a cell in pixels.
    var cell = PixelSize(width: 10, height: 20)

    /// The size of a part of the screen in pixels.
    func pixels(of rect: ScreenRect, _ graphics: Graphics) -> PixelSize {
        switch graphics {
        case .blocks: PixelSize(width: rect.columns, height: rect.rows * 2)
        case .quadrants, .octants:
            PixelSize(width: rect.columns * Glyphs.width, height: rect.rows * Glyphs.height)
        case .kitty, .sixel: PixelSize(width: rect.columns * cell.width, height: rect.rows * cell.height)
        }
    }

    /// The cells in the middle of a part of the screen that a picture of a shape covers.
    func fit(_ shape: PixelSize, into rect: ScreenRect, _ graphics: Graphics) -> ScreenRect {
        let box = pixels(of: rect, graphics)
        let fitted = Patch.fit(shape, into: box)
        let columns = max(1, rect.columns * fitted.width / max(1, box.width))
        let rows = max(1, rect.rows * fitted.height / max(1, box.height))
        return ScreenRect(
            column: rect.column + (rect.columns - columns) / 2, row: rect.row + (rect.rows - rows) / 2,
            columns: columns, rows: rows)
    }
}

/// Everything visible at one time: the main actor passes it to the display.
struct Scene: Sendable {
    /// One frame of a picture that was loaded.
    struct Layer: Sendable {
        let picture: DecodedImage
        /// The frame that its player has made; `nil` for the first one.
        var played: PlayedFrame?
        /// Tells pictures apart without comparing pixels.
        let serial: Int
        /// Whether it was made of a file that is still arriving.
        var isPreview = false

        var frame: Int { played?.index ?? 0 }
    }

    struct Tile: Sendable {
        /// The number of the cell, which it keeps when it is reused.
        let id: Int
        /// The index of the item in the cell.
        var item: Int
        let rect: ScreenRect
        var layer: Layer?
        /// The earlier picture, while `mix` is less than 256.
        var previous: Layer?
        var mix = 256
        var caption = ""
        var isSelected = false
        /// The part that has arrived, while the cell waits; 0 while the length is unknown.
        var progress: Double?
        var hasFailed = false
        /// Whether the tile is a picture alone, without a line below it.
        var isBare = false
        /// Whether the tile lies over others for a moment.
        var isMoving = false
    }

    /// Text in one line, in one colour.
    struct Label: Sendable, Hashable {
        let text: String
        let column: Int
        let row: Int
        var color = Color.text
        var background = Color.background
    }

    var size: TerminalSize
    var tiles: [Tile] = []
    /// Text beside and below the tiles.
    var labels: [Label] = []
    /// Lines to show instead of pictures.
    var help: [String] = []
    /// Two texts for the last line, left and right.
    var status = ("", "")
}
