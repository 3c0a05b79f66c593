// SPDX-License-Identifier: MIT
import TaskCoordination

/// Tells a list when its scrolling is too fast for work of low priority.
///
/// A list reports how far it was scrolled. The gate closes when the scrolling is fast, and opens when it slows down or
/// stops. While it is closed, a list pauses its ``ListPrefetcher``: what flies past is not loaded, and the pictures on
/// the screen have the network for themselves. A view's own load waits for the gate in its ``BindingOptions/gate``.
///
/// ```swift
/// gate.onChange = { isOpen in prefetcher.isPaused = !isOpen }
/// gate.scrolled(by: 3)
/// ```
@MainActor
public final class ScrollGate {
    /// Whether work of low priority may begin.
    public private(set) var isOpen = true
    /// Called when the gate has closed or opened, with ``isOpen``.
    public var onChange: (@MainActor (Bool) -> Void)?

    /// The loads that wait, in the order in which they began to.
    private var held: [() -> BoundLoad?] = []

    private let limit: Double
    private let rest: Duration
    private let clock: any Clock<Duration>
    /// Measures the time since the last report.
    private var last: Stopwatch?

    /// Opens the gate when no report follows: a list does not report that it stands still. The gate owns it.
    private var opening: PacedTask?

    /// Creates a gate that is open.
    ///
    /// - Parameters:
    ///   - limit: The speed that closes the gate, in the list's own unit a second: rows, points. A negative number
    ///     counts as 0.
    ///   - rest: How long the list stands still before the gate opens again. 150 ms by default.
    ///   - clock: Tells the time.
    public init(
        limit: Double, rest: Duration = .milliseconds(150), clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = limit.isNaN ? 0 : max(0, limit)
        self.rest = max(.zero, rest)
        self.clock = clock
    }

    /// Notes that the list was scrolled.
    ///
    /// - Parameter distance: How far since the last report, in either direction. The speed is measured over the time
    ///   since then, at most over the time of a rest.
    public func scrolled(by distance: Double) {
        let time = min(last?.elapsed ?? rest, rest)
        last = Stopwatch(self.clock)
        // More than the limit in no time is fast, too.
        let isFast = abs(distance) > limit * (time / .seconds(1))
        opening = nil
        guard isFast else { return set(true) }
        set(false)
        opening = PacedTask("scroll gate", clock: clock, after: rest) { @MainActor [weak self] in
            // A report may have replaced the task after the end of its pause.
            if !Task.isCancelled { self?.set(true) }
            return nil
        }
    }

    private func set(_ isOpen: Bool) {
        guard self.isOpen != isOpen else { return }
        self.isOpen = isOpen
        if isOpen { release() }
        onChange?(isOpen)
    }

    /// Keeps a load until the gate opens.
    func hold(_ load: BoundLoad) {
        held.removeAll { $0()?.isReceiving != true }
        if !held.contains(where: { $0() === load }) { held.append { [weak load] in load } }
    }

    private func release() {
        let loads = held.compactMap { $0() }
        held = []
        for load in loads where load.isReceiving { load.binding?.follow(load) }
    }

    /// The number of loads that wait, or did before they ended. For tests.
    var entryCount: Int { held.count }
}
