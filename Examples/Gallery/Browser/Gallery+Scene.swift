// SPDX-License-Identifier: MIT
import WebImageBinding

extension Gallery {
    /// The present scene.
    var scene: Scene {
        var scene = Scene(size: size)
        if let board, board.isShown {
            if showsHelp { scene.help = FlightBoard.help } else { board.draw(into: &scene) }
            scene.status = (board.statusText, showsHelp ? "any key: back" : "?: keys")
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
        scene.status = (statusText, helpText)
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
        let rect = motion.rect(from: grid.rect(of: motion.item, top: top), to: grid.whole)
        let small = cell(of: motion.item)
        var tile = zoomCell.tile(at: rect, isSelected: false)
        if tile.layer == nil || !motion.opens { tile.layer = small.tile(at: rect, isSelected: false).layer }
        tile.item = motion.item
        tile.previous = nil
        tile.mix = 256
        tile.isBare = true
        scene.tiles.append(tile)
    }

    /// As much as there is room for, the most important first.
    private var statusText: String {
        if let jump { return "go to picture \(jump)_" }
        let counters = manager.counters
        var words = ["\(selected + 1)/\(items.count)"]
        if isSlow { words.append("slow origin") }
        if !prefetches { words.append("nothing ahead") }
        words.append("\(counters.downloads) downloaded")
        if let occupancy {
            words.append("\(occupancy.runningDownloads + occupancy.runningWork) running")
            words.append("\(occupancy.queuedDownloads + occupancy.queuedWork) waiting")
        }
        words.append("\(counters.cancelled) cancelled")
        words.append("\(counters.diskHits) from disk")
        words.append("\(memoryHits) from memory")
        let room = size.columns - helpText.count - 4
        return words.dropFirst().reduce(words[0]) { text, word in
            text.count + 3 + word.count <= room ? text + "   " + word : text
        }
    }

    private var helpText: String {
        if showsHelp { return "any key: back" }
        return size.columns < 60 || zoomed == nil ? "?: keys" : "left right   enter: back   ?: keys"
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
