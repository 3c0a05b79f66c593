// SPDX-License-Identifier: MIT
import TaskCoordination

/// Keeps an indicator visible for its minimum time, independent of the loads.
@MainActor
final class IndicatorDriver {
    private let indicator: any ImageIndicator
    private let minimumTime: Duration
    private let clock: any Clock<Duration>
    private var shownSince: Stopwatch?

    /// Waits for the end of the minimum time. Loads start and end meanwhile; the driver owns it.
    private var stopping: PacedTask?

    init(_ indicator: any ImageIndicator, minimumTime: Duration, clock: any Clock<Duration>) {
        self.indicator = indicator
        self.minimumTime = minimumTime
        self.clock = clock
    }

    func start() {
        stopping = nil
        if shownSince == nil {
            shownSince = Stopwatch(clock)
            indicator.start()
        }
        indicator.update(nil)
    }

    func update(_ fraction: Double?) {
        guard shownSince != nil, stopping == nil else { return }
        indicator.update(fraction)
    }

    func stop() {
        guard let shownSince, stopping == nil else { return }
        let left = minimumTime - shownSince.elapsed
        guard left > .zero else { return disappear() }
        stopping = PacedTask("indicator", clock: clock, after: left) { @MainActor [weak self] in
            // A new load may have cancelled the wait after it was over and before this line.
            if !Task.isCancelled { self?.disappear() }
            return nil
        }
    }

    /// Stops the indicator without the minimum time.
    func disappear() {
        stopping = nil
        guard shownSince != nil else { return }
        shownSince = nil
        indicator.stop()
    }

    isolated deinit { disappear() }
}

/// Shows that a picture is loading: a spinner, a bar, a line of text.
///
/// A binding starts it when a load has to wait and stops it when the load ends. A load that replaces a running one
/// takes the running indicator over, so it does not blink.
@MainActor
public protocol ImageIndicator: AnyObject {
    /// Appears.
    func start()
    /// Shows how much has arrived, 0 to 1; `nil` while the length is unknown. Does nothing by default.
    func update(_ fraction: Double?)
    /// Disappears.
    func stop()
}

extension ImageIndicator {
    /// Does nothing.
    public func update(_ fraction: Double?) {}
}

/// Measures the time since its creation on any clock.
struct Stopwatch {
    private let measure: () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        measure = { start.duration(to: clock.now) }
    }

    var elapsed: Duration { measure() }
}
