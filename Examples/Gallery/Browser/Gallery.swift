// SPDX-License-Identifier: MIT
import WebImageBinding

/// A scrolling grid of reused cells, and the zoomed picture.
@MainActor
final class Gallery {
    struct Surroundings {
        var size: TerminalSize
        var graphics: Graphics
        var clock: any Clock<Duration> = ContinuousClock()
        /// The origin of the pictures, if the gallery has one of its own.
        var origin: DemoOrigin?
        /// What the board of flights shows; `nil` for no board.
        var flights: FlightBoard.Source?
        /// The shortest pause between two previews of a picture.
        var previewInterval = Duration.milliseconds(200)
    }

    let items: [Item]
    let manager: ImageManager
    let meter = TurnMeter()
    private let display: Display
    let surroundings: Surroundings
    var size: TerminalSize
    var grid: Grid
    var top = 0
    var selected = 0
    var zoomed: Int?
    var jump: String?
    var prefetches = true
    var isSlow = false
    var hasQuit = false
    var showsHelp = false
    /// The cells of the visible items: item `n` has cell `n % cells.count`.
    private(set) var cells: [Cell] = []
    private(set) var zoomCell: Cell!
    private(set) var prefetcher: ListPrefetcher<Int>!
    /// Closed while the grid scrolls faster than a row in an eighth of a second.
    let gate: ScrollGate
    var memoryHits = 0
    var occupancy: LoadOccupancy?
    var clearing: Task<Void, Never>?
    /// The picture that is growing or shrinking.
    var motion: Motion?
    /// The board of flights, once it was asked for.
    private(set) var board: FlightBoard?
    let age: Stopwatch
    /// Why the terminal cannot be written to, if so.
    private(set) var failure: (any Error)?

    /// Paints as long as there is something new to paint.
    ///
    /// Unstructured because any entry point may need it; the gallery owns it.
    private var painting: Task<Void, Never>?
    private var isDirty = false

    init(_ items: [Item], _ manager: ImageManager, _ display: Display, _ surroundings: Surroundings) {
        self.items = items
        self.manager = manager
        self.display = display
        self.surroundings = surroundings
        age = Stopwatch(surroundings.clock)
        gate = ScrollGate(limit: 8, clock: surroundings.clock)
        size = surroundings.size
        grid = Grid(itemCount: items.count, screenColumns: size.columns, screenRows: size.rows)
        zoomCell = makeCell(0)
        zoomCell.visibility = .hidden
        prefetcher = ListPrefetcher(loader: manager) { [weak self] in self?.prefetched($0) ?? [] }
        gate.onChange = { [weak self] isOpen in self?.prefetcher.isPaused = !isOpen }
        meter.measure { layOut() }
    }

    /// Whether a picture is awaited, for the screen or ahead of it.
    var isBusy: Bool {
        // Behind a picture that has the whole screen, loads pause.
        zoomCell.isLoading || zoomed == nil && cells.contains { $0.isLoading } || !prefetcher.pending.isEmpty
            || isFlying
    }
    /// Whether time alone changes the screen.
    var isMoving: Bool {
        motion != nil || isSlow || !gate.isOpen || isFlying || zoomCell.isFading || cells.contains { $0.isFading }
    }
    private var isFlying: Bool { board.map { $0.isShown && $0.isRunning } ?? false }

    /// Shows the board of flights, and begins its first stampede.
    func showBoard() {
        guard let source = surroundings.flights else { return }
        if board == nil {
            board = FlightBoard(source, clock: surroundings.clock) { [weak self] in self?.needsDisplay() }
        }
        board?.show()
        needsDisplay()
    }

    func resize(_ size: TerminalSize) {
        meter.measure {
            self.size = size
            grid = Grid(itemCount: items.count, screenColumns: size.columns, screenRows: size.rows)
            for cell in cells { cell.empty() }
            layOut()
            presentZoomed()
        }
    }

    /// Makes one cell for each visible item.
    private func layOut() {
        let count = min(items.count, grid.columns * grid.visibleRows)
        if cells.count > count { cells.removeLast(cells.count - count) }
        while cells.count < count { cells.append(makeCell(cells.count + 1)) }
        top = grid.top(top, showing: selected)
        scrolled()
    }

    private func makeCell(_ id: Int) -> Cell {
        let events = CellEvents(
            meter: meter, clock: surroundings.clock, previewInterval: surroundings.previewInterval,
            needsDisplay: { [weak self] in self?.needsDisplay() },
            shownFromMemory: { [weak self] in self?.memoryHits += 1 })
        // The terminal counts pictures from 1.
        return Cell(id: id + 1, loader: manager, events: events)
    }

    /// Gives every visible item its cell.
    func scrolled(_ policy: CachePolicy = .cacheFirst) {
        let visible = grid.visible(top: top)
        for (offset, cell) in cells.enumerated() where !visible.contains(where: { $0 % cells.count == offset }) {
            cell.empty()
        }
        for index in visible {
            let cell = cells[index % cells.count]
            let isThere = cell.index == index && cell.item != nil
            if !isThere || policy != .cacheFirst { cell.present(items[index], index, box(of: index), policy) }
        }
        prefetch()
        needsDisplay()
    }

    func cell(of item: Int) -> Cell { cells[item % cells.count] }

    func box(of item: Int) -> PixelSize { size.pixels(of: grid.rect(of: item, top: top), surroundings.graphics) }

    // MARK: - Painting

    /// Schedules the painting of the present scene.
    func needsDisplay() {
        isDirty = true
        // Once it has quit, the terminal is given back.
        if painting == nil, !hasQuit { painting = Task(name: "paint") { await self.paint() } }
    }

    /// Waits until everything is on the screen.
    func displayed() async { while let painting { await painting.value } }

    private func paint() async {
        while isDirty, failure == nil {
            isDirty = false
            occupancy = await manager.occupancy
            let scene = meter.measure { self.scene }
            do { try await display.show(scene) } catch {
                failure = error
                hasQuit = true
            }
        }
        painting = nil
    }
}
