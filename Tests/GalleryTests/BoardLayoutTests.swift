// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import gallery

struct BoardLayoutTests {
    @Test(arguments: [40, 60, 80, 100, 120, 200], [24, 30, 40, 50])
    func `ten cards are on the screen and do not touch`(columns: Int, rows: Int) {
        let layout = BoardLayout(count: 10, screenColumns: columns, screenRows: rows)
        var used: Set<Int> = []
        for index in 0..<10 {
            let card = layout.card(index)
            expectAll(card.column >= 1, card.column + card.columns <= columns)
            expectAll(card.row >= 1, card.row + card.rows <= layout.bottom)
            for row in card.row..<card.row + card.rows {
                for column in card.column..<card.column + card.columns {
                    expect(used.insert(row * 1_000 + column).inserted)
                }
            }
            let text = layout.text(index)
            expectAll(text.columns >= BoardLayout.leastText - 1, text.column + text.columns <= columns)
            guard let picture = layout.picture(index) else { continue }
            #expect(
                picture.rows >= 2 && picture.rows < layout.cardRows && picture.column + picture.columns <= text.column)
        }
        expectEqual(layout.picture(0) == nil, columns == 40 && rows <= 30)
    }

    @Test(arguments: [(0, 0, 0), (10, 1, 1), (3, 5, 100), (10, 1_000, 2), (1, 1_000, 1_000)])
    func `no screen is too small, and no number of flights`(_ count: Int, _ columns: Int, _ rows: Int) {
        let layout = BoardLayout(count: count, screenColumns: columns, screenRows: rows)
        expectAll(layout.columns >= 1, layout.cardRows >= 1)
        expectAll(layout.card(max(0, count - 1)).columns >= 1, layout.text(0).columns >= 1)
    }
}
