// SPDX-License-Identifier: MIT
import WebImageBinding

extension Gallery {
    /// The present scene.
    var scene: Scene {
        var scene = Scene(size: size)
        if let board, board.isShown {
            if showsHelp { scene.help = FlightBoard.help } else { board.draw(into: &scene) }
            scene.status = (board.statusText(within: size.columns), showsHelp ? "any key: back" : "?: keys")
            return scene
        }
        if showsHelp {
            scene.help = Self.help
        } else if zoomed != nil, motion == nil {
            scene.tiles = [zoomCell.tile(at: grid.whole, isSelected: false)]
        } else {
            scene.tiles = tilesOfGrid
            if let motion { add(motion, to: &scene) }
        }
        let keys = helpWords.reversed().joined(separator: "   ")
        scene.status = (statusWords.joined(separator: "   ", within: size.columns - keys.count - 4), keys)
        return scene
    }

    private var tilesOfGrid: [Scene.Tile] {
        grid.visible(top: top).compactMap { index in
            let cell = cell(of: index)
            guard cell.item != nil else { return nil }
            return cell.tile(at: grid.rect(of: index, top: top), isSelected: index == selected)
        }
    }

    /// Lays the picture that grows or shrinks over the grid.
    private func add(_ motion: Motion, to scene: inout Scene) {
        let small = cell(of: motion.item)
        let shape = (zoomCell.picture ?? small.picture)?.size ?? size.pixels(of: grid.whole, surroundings.graphics)
        let rect = motion.rect(
            from: grid.rect(of: motion.item, top: top), to: size.fit(shape, into: grid.whole, surroundings.graphics))
        var tile = zoomCell.tile(at: rect, isSelected: false)
        if tile.layer == nil || !motion.opens { tile.layer = small.tile(at: rect, isSelected: false).layer }
        tile.item = motion.item
        tile.previous = nil
        tile.mix = 256
        tile.isBare = true
        tile.isMoving = true
        scene.tiles.append(tile)
    }

    /// What has happened, the most important first; the last line shows as much as there is room for.
    private var statusWords: [String] {
        if let jump { return ["go to picture \(jump)_"] }
        let counters = manager.counters
        var words = ["\(selected + 1) of \(items.count)"]
        if isSlow { words.append("slow origin") }
        if !prefetches { words.append("nothing ahead") }
        let running = occupancy.map { $0.runningDownloads + $0.runningWork } ?? 0
        let waiting = occupancy.map { $0.queuedDownloads + $0.queuedWork } ?? 0
        let counts = [
            (counters.downloads, "downloaded"), (running, "running"), (waiting, "waiting"),
            (counters.diskHits, "from disk"), (memoryHits, "from memory"), (counters.cancelled, "cancelled"),
        ]
        return words + counts.filter { $0.0 > 0 }.map { "\(Figures.text($0.0)) \($0.1)" }
    }

    private var helpWords: [String] {
        if showsHelp { return ["any key: back"] }
        let keys = zoomed == nil ? ["enter: zoom", "b: 1,000 callers"] : ["enter: back", "left right"]
        return ["?: keys"] + (size.columns < 80 ? [] : keys)
    }

    /// What is needed first is at the top.
    static let help = [
        "arrows, hjkl   choose a picture",
        "enter          show it alone, or all",
        "page up, down  a screenful up or down",
        "home, end      the first, the last",
        "g and number   go to a picture",
        "s              slow origin on or off",
        "b              1,000 callers at once",
        "c, m           clear all, the memory",
        "r              load again",
        "p              load ahead, on or off",
        "q              quit",
        "",
        "Below a picture: number, format, and",
        "where it came from.",
    ]
}

extension [String] {
    /// The first elements as one text, as many as there is room for; the first one in any case.
    func joined(separator: String, within room: Int) -> String {
        dropFirst().reduce(first ?? "") { text, word in
            text.count + separator.count + word.count <= room ? text + separator + word : text
        }
    }
}

extension Gallery {
    /// Lets the origin and the board go on, and shows what time alone changes.
    func beat() {
        meter.measure {
            surroundings.origin?.release(at: age.elapsed)
            board?.goOn()
            if motion?.isOver == true { motion = nil }
            needsDisplay()
        }
    }

    /// The same, and the frames that are due, without waiting for the tasks that show them.
    func catchUp() {
        beat()
        meter.measure {
            for cell in cells + [zoomCell!] { cell.catchUp() }
            needsDisplay()
        }
    }
}
