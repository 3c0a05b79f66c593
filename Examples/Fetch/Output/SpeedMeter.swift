// SPDX-License-Identifier: MIT
/// The speed of a stream of bytes over the last seconds.
struct SpeedMeter {
    private var samples: [(time: ContinuousClock.Instant, byteCount: Int)] = []

    private static let window = Duration.seconds(3)
    private static let interval = Duration.milliseconds(200)

    /// Notes how many bytes there are by now.
    mutating func note(_ byteCount: Int, now: ContinuousClock.Instant) {
        if let last = samples.last, samples.count > 1, now - samples[samples.count - 2].time < Self.interval {
            samples[samples.count - 1] = (max(now, last.time), byteCount)
        } else {
            samples.append((now, byteCount))
        }
        while samples.count > 2, now - samples[1].time > Self.window { samples.removeFirst() }
    }

    /// In bytes a second; `nil` before there is enough to tell.
    func speed(now: ContinuousClock.Instant) -> Double? {
        guard let first = samples.first, let last = samples.last, now - first.time >= Self.interval else { return nil }
        return Double(last.byteCount - first.byteCount) / ((now - first.time) / .seconds(1))
    }
}
