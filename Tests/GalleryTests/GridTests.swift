import Testing

@testable import gallery

struct GridTests {
    @Test func `a terminal of 80 by 24 has three columns and two rows`() {
        let grid = Grid(itemCount: 10, screenColumns: 80, screenRows: 24)
        #expect(grid.columns == 3 && grid.visibleRows == 2 && grid.rowCount == 4 && grid.lastTop == 2)
        #expect(grid.visible(top: 0) == 0..<6)
        #expect(grid.visible(top: 2) == 6..<10)
        #expect(grid.near(top: 1) == [9, 0, 1, 2])
        #expect(grid.rect(of: 4, top: 0) == ScreenRect(column: 28, row: 9, columns: 24, rows: 8))
    }

    @Test func `the list moves as little as possible`() {
        let grid = Grid(itemCount: 100, screenColumns: 80, screenRows: 24)
        #expect(grid.top(5, showing: 15) == 5)
        #expect(grid.top(5, showing: 18) == 5)
        #expect(grid.top(5, showing: 21) == 6)
        #expect(grid.top(5, showing: 2) == 0)
        #expect(grid.top(90, showing: 99) == 32)
    }

    @Test(arguments: [(0, 80, 24), (1, 2, 2), (7, 1_000, 1_000), (500, 1, 1)])
    func `no window is too small and no list too short`(_ count: Int, _ columns: Int, _ rows: Int) {
        let grid = Grid(itemCount: count, screenColumns: columns, screenRows: rows)
        #expect(grid.visible(top: grid.lastTop).upperBound == count)
        #expect(grid.rect(of: 0, top: 0).rows >= 1 && grid.rect(of: 0, top: 0).columns >= 1)
        #expect(grid.near(top: 0).allSatisfy { (0..<count).contains($0) })
    }
}
