// SPDX-License-Identifier: MIT
/// How a memory cache learns that memory is short.
///
/// The cache takes a sample when it begins to hold something and at every interval after that, and gives memory back in
/// steps: see ``MemoryCache/respond(to:)``. Until the next sample it grows by at most ``MemorySample/room``. While the
/// pressure stays critical, each further sample halves what the cache holds.
///
/// The kernel's triggers for pressure are not used: without privileges their window is two seconds at least, so a
/// sample each second is earlier, and needs no thread that waits.
public struct MemoryWatch: Sendable {
    /// The time between two samples; an eighth of it while half of the process's limit is used, or more.
    ///
    /// Default: one second. Less than a millisecond counts as one.
    public var interval: Duration
    /// The clock of the interval.
    ///
    /// Default: the continuous clock.
    public var clock: any Clock<Duration>
    /// Takes a sample. Must be quick.
    ///
    /// Default: ``MemorySample/current()``.
    public var sample: @Sendable () -> MemorySample
    /// Called when the level of pressure has changed, after the cache has given memory back. Must be quick.
    ///
    /// Default: nothing.
    public var onChange: @Sendable (MemoryPressure) -> Void

    /// Creates a watch.
    public init(
        interval: Duration = .seconds(1), clock: any Clock<Duration> = ContinuousClock(),
        sample: @escaping @Sendable () -> MemorySample = MemorySample.current,
        onChange: @escaping @Sendable (MemoryPressure) -> Void = { _ in }
    ) {
        self.interval = interval
        self.clock = clock
        self.sample = sample
        self.onChange = onChange
    }
}

/// The level of pressure that a sequence of samples stands for: it rises at once and falls one step at a time, after
/// enough calm samples. So a cache does not grow and shrink with each sample near a threshold.
struct PressureGauge {
    /// Samples below the level before it falls by one step.
    static let calm = 10

    private(set) var level = MemoryPressure.normal
    private var calmCount = 0

    mutating func note(_ sample: MemorySample) {
        let pressure = sample.pressure
        if pressure > level {
            (level, calmCount) = (pressure, 0)
        } else if pressure == level {
            calmCount = 0
        } else {
            calmCount += 1
            guard calmCount >= Self.calm else { return }
            (level, calmCount) = (level == .critical ? .warning : .normal, 0)
        }
    }
}
