// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// A thousand callers ask a manager for ten pictures, and the board shows what becomes of them.
///
/// The board knows what any program can know: the manager's activities, and the calls that it makes itself.
@MainActor
final class FlightBoard {
    /// What the callers ask for, and whom.
    struct Source {
        /// At most ten count.
        let items: [Item]
        let manager: ImageManager
        /// The manager's downloads at once.
        let slots: Int
        /// The origin of the pictures, if it is this program's own.
        var origin: DemoOrigin?
        var seed: UInt64 = 1
        /// The shortest pause between two previews of a picture.
        var previewInterval = Duration.milliseconds(200)
    }

    private struct Waiting {
        let picture: Int
        let leaves: Duration?
        let task: Task<Void, Never>
    }

    static let pictureCount = 10
    /// Enough for the small pictures of the board.
    static let box = PixelSize(width: 360, height: 240)

    private let source: Source
    private let items: [Item]
    private let crowd: Crowd
    private let clock: any Clock<Duration>
    private let needsDisplay: () -> Void
    private let age: Stopwatch
    private var stampede: Stopwatch?
    private(set) var isShown = false
    private(set) var flights: [Flight]
    private(set) var pictures: [Int: (layer: Scene.Layer, fade: Fade)] = [:]
    /// The time since the first caller, which stops with the last one.
    private(set) var elapsed = Duration.zero
    /// Callers that have come.
    private var comeCount = 0
    private var waiting: [Waiting] = []
    /// Whether every caller of the last picture leaves before it has arrived: in the first stampede.
    private var losesPatience = true
    private var serial = 0
    /// Empties caches before the next stampede; owned by the board.
    private var clearing: Task<Void, Never>?

    init(_ source: Source, clock: any Clock<Duration>, needsDisplay: @escaping () -> Void) {
        self.source = source
        self.clock = clock
        self.needsDisplay = needsDisplay
        items = Array(source.items.prefix(Self.pictureCount))
        crowd = Crowd(pictures: items.count, seed: source.seed)
        flights = items.map { Flight(name: $0.url.lastPathComponent) }
        age = Stopwatch(clock)
        let activities = source.manager.activities(keeping: 1 << 16)
        // Unstructured because the board lives as long as its gallery; ends with the manager.
        Task(name: "board") { [weak self] in
            for await activity in activities { self?.note(activity) }
        }
    }

    var slots: Int { source.slots }
    var totals: Flight.Counts { flights.reduce(Flight.Counts()) { $0 + $1.counts } }
    /// Callers that will come.
    var expectedCount: Int { items.isEmpty ? 0 : crowd.callers.count }

    /// Whether callers come or wait, or something is still to be shown.
    var isRunning: Bool {
        guard stampede != nil else { return clearing != nil }
        return comeCount < expectedCount || totals.waiting > 0 || flights.contains { $0.isBehind }
            || pictures.values.contains { $0.fade.mix < 256 }
    }

    func show() {
        isShown = true
        if stampede == nil, clearing == nil { begin() }
    }

    /// - Returns: Whether the key is the board's.
    func handle(_ key: Key) -> Bool {
        switch key {
        case .character("q"), .character("?"), .interrupt, .redraw: return false
        case .character("b"), .escape, .backspace: isShown = false
        case .character("a"): again(nil)
        case .character("m"): again(.memory)
        case .character("c"): again(.all)
        default: break
        }
        return true
    }

    /// Begins another stampede once the present one is over.
    private func again(_ emptied: CacheTiers?) {
        guard !isRunning else { return }
        losesPatience = false
        guard let emptied else { return begin() }
        stampede = nil
        clearing = Task(name: "clear") { [weak self, manager = source.manager] in
            // A folder that cannot be emptied is left as it is.
            try? await manager.clear(emptied)
            self?.clearing = nil
            self?.begin()
        }
    }

    private func begin() {
        for index in flights.indices { flights[index].reset() }
        pictures = [:]
        comeCount = 0
        elapsed = .zero
        let watch = Stopwatch(self.clock)
        stampede = watch
        needsDisplay()
    }

    /// Lets the callers come and leave whose time it is, and shows what has happened.
    func goOn() {
        source.origin?.release(at: age.elapsed)
        guard let stampede, isRunning else { return }
        elapsed = stampede.elapsed
        while comeCount < expectedCount, crowd.callers[comeCount].arrival <= elapsed {
            ask(crowd.callers[comeCount])
            comeCount += 1
        }
        for index in flights.indices { flights[index].goOn() }
        // Later callers of the picture would begin another download.
        let isLastStraw =
            losesPatience && comeCount == expectedCount
            && flights.last.map { $0.isDownloading && $0.fraction >= Crowd.lastStraw } == true
        waiting.removeAll { caller in
            let isPatient = caller.leaves.map { $0 > elapsed } ?? true
            if isPatient, !(isLastStraw && caller.picture == flights.count - 1) { return false }
            caller.task.cancel()
            return true
        }
        needsDisplay()
    }

    private func ask(_ caller: Crowd.Caller) {
        let picture = caller.picture
        let isFirst = flights[picture].counts.asked == 0
        flights[picture].counts.asked += 1
        var request = ImageRequest(
            items[picture].url, transformers: [.resize(to: Self.box, mode: .fit)], priority: caller.priority)
        request.cacheKey = items[picture].cacheKey
        // One caller of each picture looks at it while it arrives.
        if isFirst { request.previews = PreviewOptions(size: Self.box, interval: source.previewInterval) }
        let task = Task(name: "caller") { [weak self, manager = source.manager] in
            do {
                guard isFirst else {
                    let image = try await manager.image(for: request)
                    self?.show(image, of: picture, isPreview: false)
                    return
                }
                for try await event in manager.events(for: request) {
                    switch event {
                    case .preview(let image): self?.show(image, of: picture, isPreview: true)
                    case .finished(let response): self?.show(response.image, of: picture, isPreview: false)
                    case .progress, .cached: break
                    }
                }
            } catch {
                // Counted by the manager's activities.
            }
        }
        waiting.append(
            Waiting(picture: picture, leaves: isFirst ? nil : caller.patience.map { caller.arrival + $0 }, task: task))
    }

    private func show(_ image: DecodedImage, of picture: Int, isPreview: Bool) {
        let present = pictures[picture]
        guard present == nil || present?.layer.isPreview == true else { return }
        serial += 1
        let begun = Fade(.milliseconds(300), self.clock)
        let layer = Scene.Layer(picture: image, serial: serial, isPreview: isPreview)
        pictures[picture] = (layer, present?.fade ?? begun)
        needsDisplay()
    }

    private func note(_ activity: LoadActivity) {
        guard let index = items.firstIndex(where: { $0.url == activity.url }) else { return }
        flights[index].note(activity.kind)
        needsDisplay()
    }
}
