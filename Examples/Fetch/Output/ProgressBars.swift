// SPDX-License-Identifier: MIT
import WebImage

/// The lines below the outcomes: one for each download that has begun, and the total.
struct ProgressBars {
    private struct Bar {
        let number: Int
        let name: String
        let shared: Int
        var progress: LoadProgress?
        var meter = SpeedMeter()
    }

    private let style: ProgressLine.Style
    private var tally = Tally()
    private var meter = SpeedMeter()
    private var receivedBytes = 0
    private var bars: [Bar] = []
    private var lastNumber = 0
    private var start: ContinuousClock.Instant?
    private var lastDraw: ContinuousClock.Instant?
    private var step = 0
    private var isEnded = false
    /// The widths of the lines that are on the screen.
    private var drawn: [Int] = []

    /// The largest number of bars; more would not be readable.
    private static let limit = 12
    /// The widest line; in a wider one a name would be far from its bar.
    private static let widest = 119
    private static let interval = Duration.milliseconds(50)

    init(_ style: ProgressLine.Style = .init(colours: .none, isUnicode: false)) { self.style = style }

    /// - Parameter count: The total number of outcomes.
    mutating func begin(count: Int, now: ContinuousClock.Instant) {
        tally.count = count
        start = now
    }

    /// Nothing is drawn from now on.
    mutating func end() { isEnded = true }

    mutating func note(_ outcome: Outcome) { tally.note(outcome) }

    /// - Parameters:
    ///   - name: Printable text.
    ///   - shared: The number of characters with which all names begin.
    /// - Returns: The number of the bar.
    mutating func add(_ name: String, sharing shared: Int = 0) -> Int {
        lastNumber += 1
        bars.append(Bar(number: lastNumber, name: name.shortened(to: Self.widest), shared: shared))
        return lastNumber
    }

    mutating func remove(_ number: Int) { bars.removeAll { $0.number == number } }

    /// - Returns: Whether it is time to draw again.
    mutating func update(_ number: Int, _ progress: LoadProgress, now: ContinuousClock.Instant) -> Bool {
        guard let index = bars.firstIndex(where: { $0.number == number }) else { return false }
        receivedBytes += max(0, progress.receivedByteCount - (bars[index].progress?.receivedByteCount ?? 0))
        meter.note(receivedBytes, now: now)
        bars[index].progress = progress
        bars[index].meter.note(progress.receivedByteCount, now: now)
        return lastDraw.map { now - $0 >= Self.interval } ?? true
    }

    /// The bars of downloads that have begun, and the total.
    mutating func drawn(on size: Terminal.Size, now: ContinuousClock.Instant) -> String {
        guard tally.done < tally.count, !isEnded else { return "" }
        lastDraw = now
        step += 1
        // Three rows are left for the total, the cursor and the top row: some terminals keep the text when all rows are
        // erased. In the last column some terminals wrap the line.
        let (room, columns) = (max(0, min(Self.limit, size.rows - 3)), min(Self.widest, size.columns - 1))
        let running = bars.lazy.compactMap { bar in bar.progress.map { Self.line(bar, $0, now) } }
        let lines = running.prefix(room).map { $0 } + [total(now)]
        drawn = lines.map { $0.text(columns: columns, step: 0, .init(colours: .none, isUnicode: false)).columnCount }
        return lines.map { $0.text(columns: columns, step: step, style) + "\n" }.joined()
    }

    /// Moves to the first drawn line and clears everything below.
    mutating func erased(from size: Terminal.Size) -> String {
        guard !drawn.isEmpty else { return "" }
        // A narrower window has wrapped the lines.
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
        drawn = []
        // The terminal may have printed `^C` at the cursor.
        return "\r\u{1B}[\(rows)A\u{1B}[J"
    }

    var isOfSeveral: Bool { tally.count > 1 }

    /// What the run has done, in one line.
    func summary(now: ContinuousClock.Instant) -> String {
        tally.summary(took: start.map { now - $0 } ?? .zero)
    }

    private static func line(_ bar: Bar, _ progress: LoadProgress, _ now: ContinuousClock.Instant) -> ProgressLine {
        let speed = bar.meter.speed(now: now)
        let left = progress.expectedByteCount.map { max(0, $0 - progress.receivedByteCount) }
        return ProgressLine(
            name: bar.name, shared: bar.shared, fraction: progress.fraction, byteCount: progress.receivedByteCount,
            speed: speed,
            remaining: left.flatMap { left in
                speed.flatMap { $0 > 0 ? .seconds(min(359_999, Double(left) / $0)) : nil }
            })
    }

    private func total(_ now: ContinuousClock.Instant) -> ProgressLine {
        let parts = bars.reduce(0) { $0 + ($1.progress?.fraction ?? 0) }
        let fraction = min(1, (Double(tally.done) + parts) / Double(max(1, tally.count)))
        let elapsed = start.map { now - $0 } ?? .zero
        return ProgressLine(
            name: "\(tally.done)/\(tally.count)" + (tally.failed > 0 ? ", \(tally.failed) failed" : ""),
            fraction: fraction, byteCount: receivedBytes, speed: meter.speed(now: now),
            remaining: fraction > 0 ? elapsed * (1 / fraction - 1) : nil)
    }
}
