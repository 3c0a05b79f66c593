// SPDX-License-Identifier: MIT
import WebImageBinding

/// Draws a screen as a terminal would, into pixels.
struct Raster {
    let width: Int
    let height: Int
    /// RGBA, rows top down.
    private(set) var pixels: [UInt8]
    private let cell: PixelSize

    /// - Parameters:
    ///   - composition: What is on the screen.
    ///   - cell: The pixels that a character takes.
    init(_ composition: Composition, cell: PixelSize) {
        self.cell = cell
        let screen = composition.screen
        width = screen.columns * cell.width
        height = screen.rows * cell.height
        pixels = [UInt8](repeating: 255, count: width * height * 4)
        for row in 0..<screen.rows {
            for column in 0..<screen.columns { draw(screen[column, row], column, row) }
        }
        for placement in composition.placements { draw(placement) }
    }

    /// - Throws: `ImageError` when there is not one pixel.
    var image: DecodedImage {
        get throws {
            try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: false)
        }
    }

    private mutating func draw(_ cell: ScreenCell, _ column: Int, _ row: Int) {
        let left = column * self.cell.width
        let top = row * self.cell.height
        let middle = self.cell.height / 2
        fill(left, top, self.cell.width, self.cell.height, cell.background)
        switch cell.character {
        case " ": break
        case "━": fill(left, top + middle - 2, self.cell.width, 4, cell.foreground)
        case "╸": fill(left, top + middle - 2, self.cell.width / 2, 4, cell.foreground)
        case "─": fill(left, top + middle - 1, self.cell.width, 1, cell.foreground)
        case "●": drawDisc(left, top, isFilled: true, cell.foreground)
        case "○": drawDisc(left, top, isFilled: false, cell.foreground)
        case _ where Glyphs.shape(of: cell.character) != nil:
            draw(Glyphs.shape(of: cell.character) ?? 0, left, top, cell.foreground)
        default: draw(Font.columns(of: cell.character), left, top, cell.foreground)
        }
    }

    /// Fills the parts of a cell that a character fills.
    private mutating func draw(_ shape: UInt8, _ left: Int, _ top: Int, _ color: Color) {
        func edge(_ part: Int, _ parts: Int, _ side: Int) -> Int { part * side / parts }
        for part in 0..<Glyphs.width * Glyphs.height where shape >> part & 1 == 1 {
            let (row, column) = part.quotientAndRemainder(dividingBy: Glyphs.width)
            let x = edge(column, Glyphs.width, cell.width)
            let y = edge(row, Glyphs.height, cell.height)
            fill(
                left + x, top + y, edge(column + 1, Glyphs.width, cell.width) - x,
                edge(row + 1, Glyphs.height, cell.height) - y, color)
        }
    }

    /// Draws a circle in the middle of a cell.
    private mutating func drawDisc(_ left: Int, _ top: Int, isFilled: Bool, _ color: Color) {
        let radius = Double(min(cell.width, cell.height)) * 0.42
        for y in 0..<cell.height {
            for x in 0..<cell.width {
                let across = Double(x) + 0.5 - Double(cell.width) / 2
                let down = Double(y) + 0.5 - Double(cell.height) / 2
                let distance = (across * across + down * down).squareRoot()
                if distance <= radius, isFilled || distance > radius - 1.5 { fill(left + x, top + y, 1, 1, color) }
            }
        }
    }

    /// Draws a letter as large as it fits, in the middle of its cell.
    private mutating func draw(_ columns: [UInt8], _ left: Int, _ top: Int, _ color: Color) {
        let scale = max(1, min(cell.width / (Font.width + 1), cell.height / (Font.height + 1)))
        let x = left + (cell.width - Font.width * scale) / 2
        let y = top + (cell.height - Font.height * scale) / 2
        for (column, bits) in columns.enumerated() {
            for row in 0..<Font.height where bits >> UInt8(row) & 1 == 1 {
                fill(x + column * scale, y + row * scale, scale, scale, color)
            }
        }
    }

    private mutating func draw(_ placement: Composition.Placement) {
        let left = placement.rect.column * cell.width
        let top = placement.rect.row * cell.height
        let (width, height) = (placement.rect.columns * cell.width, placement.rect.rows * cell.height)
        for y in 0..<height {
            for x in 0..<width {
                let color = placement.patch.color(
                    x * placement.patch.width / width, y * placement.patch.height / height)
                fill(left + x, top + y, 1, 1, color)
            }
        }
    }

    private mutating func fill(_ left: Int, _ top: Int, _ columns: Int, _ rows: Int, _ color: Color) {
        for y in max(0, top)..<max(0, min(height, top + rows)) {
            for x in max(0, left)..<max(0, min(width, left + columns)) {
                let offset = (y * width + x) * 4
                pixels[offset] = color.red
                pixels[offset + 1] = color.green
                pixels[offset + 2] = color.blue
            }
        }
    }
}
