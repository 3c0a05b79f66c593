// SPDX-License-Identifier: MIT
/// The pictures of a run on a terminal: rows of places of the same size, each with a caption below.
struct PictureGrid: Sendable {
    let canvas: Canvas
    /// The places of a row.
    let across: Int
    /// The places that are taken.
    private var count = 0

    /// The cells between two places.
    private static let gap = 1
    /// The smallest and the largest width of a place among others.
    private static let widths = 16...64

    /// Chooses the largest places with which all pictures are on the screen at once; when there are too many for that,
    /// small ones.
    ///
    /// - Parameter spare: Rows for what else is printed.
    init(count: Int, _ graphics: Canvas.Graphics, _ size: Terminal.Size, spare: Int = 7) {
        func canvas(_ across: Int) -> Canvas {
            let room = (size.columns - 1 - (across - 1) * Self.gap) / across
            let width = count == 1 ? room : min(Self.widths.upperBound, room)
            let most = count == 1 ? size.rows - 4 : max(3, (width * 5 + 8) / 16)
            return Canvas(graphics: graphics, columns: max(1, width), rows: max(1, min(most, size.rows - 4)))
        }
        let most = max(1, min(count, (size.columns - 1 + Self.gap) / (Self.widths.lowerBound + Self.gap)))
        let fitting = (1...most).first { across in
            (count + across - 1) / across * (canvas(across).rows + 2) <= size.rows - spare
        }
        across = fitting ?? most
        self.canvas = canvas(across)
    }

    /// The text that draws a picture in the next place. The cursor is below the row before and after it.
    mutating func text(_ painting: String, caption: String) -> String {
        let right = count % across * (canvas.columns + Self.gap)
        let height = canvas.rows + 2
        let room = right == 0 ? String(repeating: "\n", count: height) : ""
        count += 1
        func drawn(_ text: String, up: Int) -> String {
            "\u{1B}7\r\u{1B}[\(up)A" + Canvas.moved(right: right) + text + "\u{1B}8"
        }
        return room + drawn(painting, up: height) + drawn(caption, up: 2)
    }

    /// The next picture begins a row, because something else was printed below this one.
    mutating func endRow() { count = (count + across - 1) / across * across }
}
