// SPDX-License-Identifier: MIT
/// The places of the flights of a board, for a given size of the screen.
///
/// Pure arithmetic. Above the cards is the line of the crowd, below them are three: totals, a legend, and the status
/// line. Pictures do not touch: the last row of a card of three rows or more is a gap.
struct BoardLayout: Hashable, Sendable {
    /// The columns that the text of a card needs beside a picture.
    static let leastText = 19

    let count: Int
    let screenColumns: Int
    let screenRows: Int
    /// Cards side by side.
    let columns: Int
    /// Rows of a card, with the gap below.
    let cardRows: Int
    /// The first row of the cards.
    let top: Int
    /// The size of a picture; zero rows where there is no room for one.
    let pictureRows: Int
    var pictureColumns: Int { pictureRows * 3 }

    init(count: Int, screenColumns: Int, screenRows: Int) {
        let count = max(1, count)
        self.count = count
        self.screenColumns = max(1, screenColumns)
        self.screenRows = max(1, screenRows)
        let rows = max(1, screenRows - 4)
        var best = (picture: -1, columns: 1, rows: 1)
        for columns in 1...min(5, count) {
            let card = max(1, rows / ((count + columns - 1) / columns))
            let width = (screenColumns - 1) / columns
            let room = (width - Self.leastText - 3) / 3
            let picture = min(card - 1, max(0, room))
            let hasText = width >= Self.leastText + 3 || columns == 1
            if hasText, (picture >= 2 ? picture : 0) > best.picture {
                best = (picture >= 2 ? picture : 0, columns, card)
            }
        }
        columns = best.columns
        pictureRows = best.picture
        // A card is not much higher than its picture.
        cardRows = min(best.rows, max(best.picture + 1, 6))
        // The rest is above and below the cards.
        top = 1 + (max(0, rows - cardRows * ((count + best.columns - 1) / best.columns)) + 1) / 2
    }

    /// The card of a flight without its gap.
    func card(_ index: Int) -> ScreenRect {
        let left = index % columns * (screenColumns - 1) / columns + 1
        let right = (index % columns + 1) * (screenColumns - 1) / columns
        return ScreenRect(
            column: left, row: top + index / columns * cardRows, columns: max(1, right - left),
            rows: cardRows >= 3 ? cardRows - 1 : cardRows)
    }

    func picture(_ index: Int) -> ScreenRect? {
        guard pictureRows > 0 else { return nil }
        let card = card(index)
        return ScreenRect(column: card.column, row: card.row, columns: pictureColumns, rows: pictureRows)
    }

    /// What the picture leaves of the card.
    func text(_ index: Int) -> ScreenRect {
        let card = card(index)
        let used = pictureRows > 0 ? pictureColumns + 2 : 0
        return ScreenRect(
            column: card.column + used, row: card.row, columns: max(1, card.columns - used - 1), rows: card.rows)
    }

    /// Where the totals begin.
    var bottom: Int { screenRows - 3 }
}
