// SPDX-License-Identifier: MIT
/// The bytes that change a terminal from one screen to another.
struct ScreenDiff {
    private var bytes: [UInt8] = []
    private var foreground: Color?
    private var background: Color?
    /// The cursor position, if it is known.
    private var cursor: (column: Int, row: Int)?

    /// - Parameters:
    ///   - old: What the terminal shows; `nil` when it is unknown, or has another size.
    ///   - new: The new screen. Cells that belong to a picture are not written.
    /// - Complexity: O(*n*) in the number of cells.
    static func bytes(from old: Screen?, to new: Screen) -> [UInt8] {
        var diff = ScreenDiff()
        let old = old.flatMap { $0.columns == new.columns && $0.rows == new.rows ? $0 : nil }
        if old == nil { diff.bytes += Array("\u{1B}[0m\u{1B}[2J".utf8) }
        for row in 0..<new.rows {
            for column in 0..<new.columns {
                let cell = new[column, row]
                if cell.picture != nil || old?[column, row] == cell { continue }
                diff.write(cell, column, row, isLast: column == new.columns - 1)
            }
        }
        if diff.foreground != nil { diff.bytes += Array("\u{1B}[0m".utf8) }
        return diff.bytes
    }

    static func move(_ column: Int, _ row: Int) -> [UInt8] { Array("\u{1B}[\(row + 1);\(column + 1)H".utf8) }

    private mutating func write(_ cell: ScreenCell, _ column: Int, _ row: Int, isLast: Bool) {
        if cursor?.column != column || cursor?.row != row { bytes += Self.move(column, row) }
        if foreground != cell.foreground {
            foreground = cell.foreground
            select(38, cell.foreground)
        }
        if background != cell.background {
            background = cell.background
            select(48, cell.background)
        }
        bytes += Array(String(cell.character).utf8)
        // Terminals disagree about where the cursor is after the last column.
        cursor = isLast ? nil : (column + 1, row)
    }

    private mutating func select(_ ground: Int, _ color: Color) {
        bytes += Array("\u{1B}[\(ground);2;\(color.red);\(color.green);\(color.blue)m".utf8)
    }
}
