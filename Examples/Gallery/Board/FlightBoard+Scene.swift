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
        "gave up: left before it was there.",
    ]

    func statusText(within columns: Int) -> String {
        if !isRunning { return "again\(columns < 60 ? "" : " from")  a: memory  m: disk  c: origin" }
        let busy = flights.count { $0.isDownloading }
        let slots =
            String(repeating: "●", count: min(busy, self.slots))
            + String(repeating: "○", count: max(0, self.slots - busy))
        let words = ["slots \(slots)", "\(flights.count { $0.isQueued }) queued", "each picture is downloaded once"]
        return words.joined(separator: "   ", within: columns - 12)
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
            if let rect = layout.picture(index) { draw(index, rect, into: &scene) }
            FlightCard(flights[index], most: most, layout.text(index)).draw(into: &scene)
        }
        drawTotals(layout, into: &scene)
    }

    private func draw(_ index: Int, _ rect: ScreenRect, into scene: inout Scene) {
        // The numbers of the cells of the grid are below.
        var tile = Scene.Tile(id: 100_000 + index, item: index, rect: rect)
        tile.isBare = true
        // A part of a picture that will not come is no picture.
        let word = flights[index].state == .cancelled ? "all left" : flights[index].state == .failed ? "failed" : nil
        if let word {
            let text = word.prefix(rect.columns)
            scene.labels.append(
                .init(
                    text: String(text), column: rect.column + (rect.columns - text.count) / 2,
                    row: rect.row + (rect.rows - 1) / 2, color: .dim, background: .tile))
        } else if let (layer, fade) = pictures[index] {
            tile.layer = layer
            tile.mix = fade.mix
        }
        scene.tiles.append(tile)
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
        let isNarrow = layout.screenColumns < 60
        let words = [
            (Figures.plural(totals.asked, "caller"), Color.text),
            (Figures.plural(totals.downloads, "download"), .accent),
            ("\(Figures.text(totals.joined)) joined", .good),
        ]
        // The legend of the bars; then what is not in them, where there is room.
        let counts = [
            (totals.served, "served", Color.good), (totals.waiting, "waiting", .accent),
            (totals.left, "gave up", .alarm), (totals.failed, "failed", .alarm),
            (totals.memoryHits, "from memory", .dim), (totals.diskHits, "from disk", .dim),
            (flights.count { $0.state == .cancelled }, "cancelled", .dim),
        ]
        let legend = counts.enumerated().filter { $0.offset < 3 || $0.element.0 > 0 }.map { offset, count in
            ((offset < 4 && !isNarrow ? "▄ " : "") + "\(Figures.text(count.0)) \(count.1)", count.2)
        }
        for (offset, line) in [words, legend].enumerated() {
            var column = 1
            for (text, color) in line where column + text.count <= layout.screenColumns {
                scene.labels.append(.init(text: text, column: column, row: layout.bottom + offset, color: color))
                column += text.count + (isNarrow ? 2 : 3)
            }
        }
    }
}
