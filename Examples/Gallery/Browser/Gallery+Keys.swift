// SPDX-License-Identifier: MIT
import WebImageBinding

extension Gallery {
    func handle(_ key: Key) {
        meter.measure {
            if let board, board.isShown, !showsHelp, board.handle(key) { return needsDisplay() }
            if jump != nil { return typeJump(key) }
            if showsHelp, key != .interrupt, key != .character("q"), key != .redraw {
                showsHelp = false
                return needsDisplay()
            }
            switch key {
            case .character("q"), .interrupt: hasQuit = true
            case .up, .character("k"): move(by: -grid.columns)
            case .down, .character("j"): move(by: grid.columns)
            case .left, .character("h"): move(by: -1)
            case .right, .character("l"): move(by: 1)
            case .pageUp: move(by: -grid.columns * grid.visibleRows)
            case .pageDown, .character(" "): move(by: grid.columns * grid.visibleRows)
            case .home: select(0)
            case .end, .character("G"): select(items.count - 1)
            case .wheelUp: scroll(by: -1)
            case .wheelDown: scroll(by: 1)
            case .enter: zoom(zoomed == nil ? selected : nil)
            case .escape, .backspace: zoom(nil)
            case .character("g"): jump = ""
            case .character("r"): reload()
            case .character("c"): clear(.all)
            case .character("m"): clear(.memory)
            case .character("p"): togglePrefetching()
            case .character("?"): showsHelp = true
            case .character("s"): toggleSlowness()
            case .character("b"): showBoard()
            case .character, .suspend, .redraw: break
            }
            needsDisplay()
        }
    }

    private func typeJump(_ key: Key) {
        switch key {
        case .character(let digit) where digit.isWholeNumber && (jump?.count ?? 0) < 9: jump?.append(digit)
        case .backspace where jump != "": jump?.removeLast()
        case .enter:
            // The user counts from 1.
            if let number = jump.flatMap({ Int($0) }) { select(number - 1) }
            jump = nil
        case .interrupt: hasQuit = true
        default: jump = nil
        }
        needsDisplay()
    }

    private func move(by distance: Int) {
        if zoomed != nil { return select(selected + distance.signum()) }
        select(selected + distance)
    }

    private func select(_ item: Int) {
        guard !items.isEmpty else { return }
        selected = min(max(0, item), items.count - 1)
        show(row: grid.top(top, showing: selected))
        if zoomed != nil { zoom(selected) }
    }

    /// Scrolls, and takes the selection along when it would be lost.
    private func scroll(by rows: Int) {
        guard zoomed == nil, !items.isEmpty else { return }
        let row = min(max(0, top + rows), grid.lastTop)
        let visible = grid.visible(top: row)
        while selected < visible.lowerBound { selected += grid.columns }
        while selected >= visible.upperBound { selected -= grid.columns }
        selected = min(max(0, selected), items.count - 1)
        show(row: row)
    }

    private func show(row: Int) {
        guard row != top else { return }
        gate.scrolled(by: Double(row - top))
        top = row
        scrolled()
    }

    private func zoom(_ item: Int?) {
        guard !items.isEmpty, item != nil || zoomed != nil else { return }
        if (item == nil) != (zoomed == nil), surroundings.graphics != .sixel {
            let begun = Motion(of: item ?? zoomed ?? selected, opens: item != nil, surroundings.clock)
            motion = begun
        }
        zoomed = item
        zoomCell.visibility = item == nil ? .hidden : .visible
        if item == nil { zoomCell.empty() }
        // Before the cells pause, so that a download that both want goes on.
        presentZoomed()
        for cell in cells { cell.visibility = item == nil ? .visible : .hidden }
    }

    func presentZoomed(_ policy: CachePolicy = .cacheFirst) {
        guard let zoomed else { return }
        let small = cell(of: zoomed)
        zoomCell.present(
            items[zoomed], zoomed, size.pixels(of: grid.whole, surroundings.graphics), policy,
            placeholder: small.index == zoomed ? small.picture : nil)
    }

    private func reload() {
        if zoomed != nil { presentZoomed(.reload) } else { scrolled(.reload) }
    }

    private func toggleSlowness() {
        guard let origin = surroundings.origin else { return }
        isSlow.toggle()
        origin.setSlow(isSlow)
    }
}
