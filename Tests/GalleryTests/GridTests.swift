// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import gallery

struct GridTests {
    @Test func `a terminal of 80 by 24 has three columns and two rows, which move as little as possible`() {
        let grid = Grid(itemCount: 10, screenColumns: 80, screenRows: 24)
        expectAll(grid.columns == 3, grid.visibleRows == 2, grid.rowCount == 4, grid.lastTop == 2)
        expectEqual(grid.visible(top: 0), 0..<6)
        expectEqual(grid.visible(top: 2), 6..<10)
        expectEqual(grid.near(top: 1), [9, 0, 1, 2])
        expectEqual(grid.rect(of: 4, top: 0), ScreenRect(column: 27, row: 12, columns: 26, rows: 9))
        let long = Grid(itemCount: 100, screenColumns: 80, screenRows: 24)
        for (top, item, expected) in [(5, 15, 5), (5, 18, 5), (5, 21, 6), (5, 2, 0), (90, 99, 32)] {
            expectEqual(long.top(top, showing: item), expected, "\(item) from \(top)")
        }
    }

    @Test(arguments: [(0, 80, 24), (1, 2, 2), (7, 1_000, 1_000), (500, 1, 1)])
    func `no window is too small and no list too short`(_ count: Int, _ columns: Int, _ rows: Int) {
        let grid = Grid(itemCount: count, screenColumns: columns, screenRows: rows)
        expectEqual(grid.visible(top: grid.lastTop).upperBound, count)
        expectAll(grid.rect(of: 0, top: 0).rows >= 1, grid.rect(of: 0, top: 0).columns >= 1)
        expect(grid.near(top: 0).allSatisfy { (0..<count).contains($0) })
    }

    @Test(arguments: [40, 51, 60, 80, 97, 120, 200], [12, 24, 40, 50])
    func `pictures of one size fill the screen with even gaps and do not touch`(columns: Int, rows: Int) {
        let grid = Grid(itemCount: 1_000, screenColumns: columns, screenRows: rows)
        let rects = grid.visible(top: 3).map { grid.rect(of: $0, top: 3) }
        expectEqual(Set(rects.map { [$0.columns, $0.rows] }).count, 1)
        let places = rects.flatMap { rect in
            (rect.row...rect.row + rect.rows).flatMap { row in
                (rect.column..<rect.column + rect.columns).map { row * 1_000 + $0 }
            }
        }
        expectEqual(Set(places).count, places.count)
        expect(rects.allSatisfy { $0.column + $0.columns <= columns && $0.row + $0.rows < rows - 1 })
        for (starts, size, room) in [
            (Set(rects.map(\.column)).sorted(), grid.tileColumns, columns),
            (Set(rects.map(\.row)).sorted(), grid.tileRows + 1, rows - 1),
        ] {
            let gaps = Set(zip(starts, starts.dropFirst()).map { $1 - $0 - size })
            let after = room - (starts.last ?? 0) - size
            expect(gaps.count <= 1 && (0...1).contains(after - starts[0]), "\(gaps), \(starts[0]), \(after)")
        }
        expect((0..<3).contains(grid.tileRows * 3 - grid.tileColumns), "the shape of a photograph, to a row")
        let isFull = (columns - rects[0].columns * grid.columns, rows - 1 - (rects[0].rows + 1) * grid.visibleRows)
        expect(isFull.0 < 2 * grid.columns || isFull.1 < grid.visibleRows)
    }
}
