// SPDX-License-Identifier: MIT
/// The places of the items of a gallery, for a given size of the screen.
///
/// Pure arithmetic. The last row of the screen belongs to the status line.
struct Grid: Hashable, Sendable {
    /// The fewest columns of a picture; a row more for its caption, a column more for the gap.
    static let leastColumns = 24

    let itemCount: Int
    let screenColumns: Int
    let screenRows: Int
    /// Items side by side.
    let columns: Int
    /// The number of visible rows of items.
    let visibleRows: Int
    /// The size of a picture, the same at every place, so that a picture that was loaded ahead fits wherever it
    /// appears.
    let tileColumns: Int
    let tileRows: Int
    /// From the left of one picture to the next, and from the top of one to the next.
    private let strideColumns: Int
    private let strideRows: Int
    /// What the gaps leave, at the left and at the top.
    private let left: Int
    private let above: Int

    init(itemCount: Int, screenColumns: Int, screenRows: Int) {
        self.itemCount = max(0, itemCount)
        self.screenColumns = screenColumns
        self.screenRows = screenRows
        columns = max(1, (screenColumns + 1) / (Self.leastColumns + 1))
        let (width, rows) = (max(1, (screenColumns + 1) / columns - 1), screenRows - 1)
        // A picture is two thirds as high as it is wide, and a row is as high as two columns are wide.
        let fewest = max(1, rows / (width / 3 + 1))
        func area(_ count: Int) -> Int {
            let side = min(width, 3 * (rows / count - 1))
            return max(0, side) * side * count
        }
        visibleRows = area(fewest + 1) > area(fewest) ? fewest + 1 : fewest
        tileRows = max(1, min((width + 2) / 3, rows / visibleRows - 1, screenRows - 2))
        tileColumns = min(width, 3 * tileRows)
        (strideColumns, left) = Self.spread(columns, of: tileColumns, over: screenColumns)
        (strideRows, above) = Self.spread(visibleRows, of: tileRows + 1, over: rows)
    }

    /// Places parts with even gaps; the margins share the rest.
    private static func spread(_ count: Int, of size: Int, over room: Int) -> (stride: Int, margin: Int) {
        let rest = max(0, room - count * size)
        let gap = (rest + 1) / count
        return (size + gap, (rest - gap * (count - 1)) / 2)
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
        ScreenRect(
            column: left + item % columns * strideColumns, row: above + (item / columns - top) * strideRows,
            columns: tileColumns, rows: tileRows)
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
