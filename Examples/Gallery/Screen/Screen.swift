// SPDX-License-Identifier: MIT
/// A grid of characters.
struct Screen: Hashable, Sendable {
    let columns: Int
    let rows: Int
    private(set) var cells: [ScreenCell]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = Array(repeating: ScreenCell(), count: self.columns * self.rows)
    }

    /// The cell at a place on the screen.
    subscript(column: Int, row: Int) -> ScreenCell {
        get { cells[row * columns + column] }
        set { cells[row * columns + column] = newValue }
    }

    func contains(_ column: Int, _ row: Int) -> Bool {
        (0..<columns).contains(column) && (0..<rows).contains(row)
    }

    /// Writes one cell; nothing when it is off the screen.
    mutating func put(_ cell: ScreenCell, _ column: Int, _ row: Int) {
        if contains(column, row) { self[column, row] = cell }
    }

    /// Writes text, one column for each character, cut off at the edge.
    ///
    /// Characters other than printable ASCII and the drawing characters become question marks: the text is untrusted
    /// input, and the terminal would interpret an escape sequence in it.
    mutating func write(
        _ text: String, _ column: Int, _ row: Int, _ foreground: Color = .text, on background: Color = .background
    ) {
        for (offset, scalar) in text.unicodeScalars.prefix(max(0, columns - column)).enumerated() {
            let isHarmless = (0x20..<0x7F).contains(scalar.value) || "━─╸█▀▄●○".unicodeScalars.contains(scalar)
            let cell = ScreenCell(
                character: isHarmless ? scalar : "?", foreground: foreground, background: background)
            put(cell, column + offset, row)
        }
    }

    mutating func fill(_ rect: ScreenRect, with cell: ScreenCell) {
        for row in rect.row..<rect.row + rect.rows {
            for column in rect.column..<rect.column + rect.columns { put(cell, column, row) }
        }
    }

    /// The characters, line by line, without spaces at the ends; pieces of pictures are `#`.
    var text: String {
        (0..<rows).map { row in
            var line = String.UnicodeScalarView()
            for column in 0..<columns {
                let cell = self[column, row]
                line.append(cell.picture == nil ? cell.character : "#")
            }
            while line.last == " " { line.removeLast() }
            return String(line)
        }.joined(separator: "\n")
    }
}
