/// The places of the items of a gallery, for a given size of the screen.
///
/// Pure arithmetic. The last row of the screen belongs to the status line.
struct Grid: Hashable, Sendable {
    /// The columns and rows of a picture; a row more for its caption, a column more for the gap.
    static let tileColumns = 24
    static let tileRows = 8

    let itemCount: Int
    let screenColumns: Int
    let screenRows: Int
    /// Items side by side.
    let columns: Int
    /// The number of visible rows of items.
    let visibleRows: Int

    init(itemCount: Int, screenColumns: Int, screenRows: Int) {
        self.itemCount = max(0, itemCount)
        self.screenColumns = screenColumns
        self.screenRows = screenRows
        columns = max(1, (screenColumns + 1) / (Self.tileColumns + 1))
        visibleRows = max(1, (screenRows - 1) / (Self.tileRows + 1))
    }

    var rowCount: Int { (itemCount + columns - 1) / columns }
    /// The topmost row when the list is scrolled to its end.
    var lastTop: Int { max(0, rowCount - visibleRows) }

    /// The visible items with row `top` at the top.
    func visible(top: Int) -> Range<Int> { items(inRows: top..<top + visibleRows) }

    /// The items of one screen before and one screen after the visible ones.
    func near(top: Int) -> [Int] {
        Array(items(inRows: top + visibleRows..<top + 2 * visibleRows))
            + Array(items(inRows: top - visibleRows..<top))
    }

    /// The topmost row, moved as little as possible so that `item` is visible.
    func top(_ top: Int, showing item: Int) -> Int {
        let row = item / columns
        return min(max(min(top, row), row - visibleRows + 1, 0), lastTop)
    }

    /// The place of the picture of an item.
    func rect(of item: Int, top: Int) -> ScreenRect {
        let width = columns * (Self.tileColumns + 1) - 1
        let left = max(0, (screenColumns - width) / 2)
        return ScreenRect(
            column: left + item % columns * (Self.tileColumns + 1), row: (item / columns - top) * (Self.tileRows + 1),
            columns: min(Self.tileColumns, screenColumns), rows: min(Self.tileRows, max(1, screenRows - 2)))
    }

    /// The place of a picture that has the whole screen.
    var whole: ScreenRect {
        ScreenRect(column: 0, row: 0, columns: max(1, screenColumns), rows: max(1, screenRows - 2))
    }

    private func items(inRows rows: Range<Int>) -> Range<Int> {
        let first = min(max(0, rows.lowerBound) * columns, itemCount)
        return first..<max(first, min(rows.upperBound * columns, itemCount))
    }
}
