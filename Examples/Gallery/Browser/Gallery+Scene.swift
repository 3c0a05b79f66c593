import WebImageBinding

extension Gallery {
    /// The present scene.
    var scene: Scene {
        var scene = Scene(size: size)
        if zoomed != nil {
            scene.tiles = [zoomCell.tile(at: grid.whole, isSelected: false)]
        } else {
            scene.tiles = grid.visible(top: top).compactMap { index in
                let cell = cell(of: index)
                guard cell.item != nil else { return nil }
                return cell.tile(at: grid.rect(of: index, top: top), isSelected: index == selected)
            }
        }
        scene.status = (statusText, helpText)
        return scene
    }

    private var statusText: String {
        if let jump { return "go to \(jump)_" }
        let counters = manager.counters
        var words = ["\(selected + 1)/\(items.count)"]
        words.append("memory \(memoryHits) disk \(counters.diskHits) net \(counters.downloads)")
        if let occupancy {
            words.append("running \(occupancy.runningDownloads + occupancy.runningWork)")
            words.append("queued \(occupancy.queuedDownloads + occupancy.queuedWork)")
        }
        words.append("cancelled \(counters.cancelled)")
        if !prefetches { words.append("no prefetching") }
        if isSlow { words.append("slow") }
        return words.joined(separator: "  ")
    }

    private var helpText: String {
        if zoomed != nil { return "left right  enter back  q quit" }
        let short = "enter g r c p s q"
        let long = "arrows g enter  r reload  c clear  p prefetch  s slow  q quit"
        return size.columns < statusText.count + long.count + 4 ? short : long
    }
}

extension Gallery {
    /// Shows the frames that are due.
    func catchUp() {
        meter.measure {
            for cell in cells + [zoomCell!] { cell.catchUp() }
            needsDisplay()
        }
    }
}
