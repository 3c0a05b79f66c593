import WebImageBinding

/// The way in which pictures are drawn on the screen.
enum Graphics: String, Sendable, CaseIterable {
    case blocks, sixel, kitty
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
        case .kitty, .sixel: PixelSize(width: rect.columns * cell.width, height: rect.rows * cell.height)
        }
    }
}

/// Everything visible at one time: the main actor passes it to the display.
struct Scene: Sendable {
    /// One frame of a picture that was loaded.
    struct Layer: Sendable {
        let picture: DecodedImage
        var frame = 0
        /// Tells pictures apart without comparing pixels.
        let serial: Int
    }

    struct Tile: Sendable {
        /// The number of the cell, which it keeps when it is reused.
        let id: Int
        /// The index of the item in the cell.
        let item: Int
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
    }

    var size: TerminalSize
    var tiles: [Tile] = []
    /// Lines to show instead of pictures.
    var help: [String] = []
    /// Two texts for the last line, left and right.
    var status = ("", "")
}
