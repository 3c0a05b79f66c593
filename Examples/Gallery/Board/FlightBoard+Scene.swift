// SPDX-License-Identifier: MIT
import WebImageBinding

extension FlightBoard {
    static let help = [
        "A thousand callers ask for ten",
        "pictures. The manager downloads each",
        "once, and all who asked get it.",
        "",
        "a     again, with what is in memory",
        "m     empty the memory, and again",
        "c     empty memory and disk, and again",
        "b     back to the pictures",
        "q     quit",
        "",
        "joined: came while a download of the",
        "same picture was under way.",
    ]

    var statusText: String {
        isRunning ? "each picture is downloaded once" : "again from  a: memory  m: disk  c: origin"
    }

    /// Draws the board into a scene that is empty.
    func draw(into scene: inout Scene) {
        let layout = BoardLayout(
            count: flights.count, screenColumns: scene.size.columns, screenRows: scene.size.rows)
        drawCrowd(layout, into: &scene)
        let most = flights.map(\.counts.asked).max() ?? 0
        for index in flights.indices {
            let card = layout.card(index)
            // What does not fit is not shown.
            guard card.row + card.rows <= layout.bottom else { break }
            if let rect = layout.picture(index) { scene.tiles.append(tile(index, rect)) }
            FlightCard(flights[index], number: index + 1, most: most, layout.text(index)).draw(into: &scene)
        }
        drawTotals(layout, into: &scene)
    }

    private func tile(_ index: Int, _ rect: ScreenRect) -> Scene.Tile {
        // The numbers of the cells of the grid are below.
        var tile = Scene.Tile(id: 100_000 + index, item: index, rect: rect)
        tile.isBare = true
        if let (layer, fade) = pictures[index] {
            tile.layer = layer
            tile.mix = fade.mix
        }
        return tile
    }

    /// All callers as one bar: served, waiting, gone, and those who have not come yet.
    private func drawCrowd(_ layout: BoardLayout, into scene: inout Scene) {
        let totals = totals
        let title = "\(Figures.text(totals.asked)) callers"
        let time = Figures.seconds(elapsed)
        scene.labels.append(.init(text: title, column: 1, row: 0, color: .text))
        scene.labels.append(.init(text: time, column: layout.screenColumns - time.count - 1, row: 0, color: .dim))
        let left = 16
        let room = layout.screenColumns - left - 9
        guard room >= 8 else { return }
        Bar.crowd(totals, of: max(expectedCount, totals.asked), room).draw(at: left, 0, into: &scene)
    }

    private func drawTotals(_ layout: BoardLayout, into scene: inout Scene) {
        let totals = totals
        let queued = flights.count { $0.isQueued }
        let busy = flights.count { $0.isDownloading }
        let isNarrow = layout.screenColumns < 60
        let gap = isNarrow ? ", " : "   "
        let words = [
            (Figures.plural(totals.asked, "caller"), Color.text),
            (Figures.plural(totals.downloads, "download"), .accent),
            ("\(Figures.text(totals.joined)) joined", .good),
        ]
        var column = 1
        for (index, (word, color)) in words.enumerated() {
            let text = word + (index < words.count - 1 ? gap : "")
            scene.labels.append(.init(text: text, column: column, row: layout.bottom, color: color))
            column += text.count
        }
        let slots =
            String(repeating: "●", count: min(busy, self.slots))
            + String(repeating: "○", count: max(0, self.slots - busy))
        var details = ["slots \(slots)", "\(queued) waiting", "\(Figures.text(totals.left)) left"]
        details += ["\(Figures.text(totals.served)) served", "\(Figures.text(totals.memoryHits)) from memory"]
        details += ["\(totals.diskHits) from disk"]
        let cancelled = flights.count { $0.state == .cancelled }
        if cancelled > 0 { details.append(Figures.plural(cancelled, "download") + " cancelled") }
        let text = details.dropFirst().reduce(details[0]) { text, word in
            text.count + word.count + gap.count < layout.screenColumns - 1 ? text + gap + word : text
        }
        scene.labels.append(.init(text: text, column: 1, row: layout.bottom + 1, color: .dim))
    }
}
