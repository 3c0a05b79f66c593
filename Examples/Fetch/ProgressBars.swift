import WebImage

/// The bars below the outcomes: their text, and the characters that draw and erase them.
struct ProgressBars {
    private struct Bar {
        let number: Int
        let name: String
        var progress: LoadProgress?
    }

    /// The total number of outcomes.
    var count = 0
    private var done = 0
    private var failed = 0
    private var bars: [Bar] = []
    private var lastNumber = 0
    private var lastDraw: ContinuousClock.Instant?
    /// The lengths of the lines that are on the screen.
    private var drawn: [Int] = []

    /// The largest number of bars; more would not be readable.
    private static let limit = 12
    private static let interval = Duration.milliseconds(50)

    mutating func note(_ outcome: Outcome) {
        done += 1
        if !outcome.succeeded { failed += 1 }
    }

    /// - Parameter name: Printable ASCII, as in the text of a `URL`.
    /// - Returns: The number of the bar.
    mutating func add(_ name: String) -> Int {
        lastNumber += 1
        bars.append(Bar(number: lastNumber, name: name))
        return lastNumber
    }

    mutating func remove(_ number: Int) { bars.removeAll { $0.number == number } }

    /// - Returns: Whether it is time to draw again.
    mutating func update(_ number: Int, _ progress: LoadProgress, now: ContinuousClock.Instant) -> Bool {
        guard let index = bars.firstIndex(where: { $0.number == number }) else { return false }
        bars[index].progress = progress
        return lastDraw.map { now - $0 >= Self.interval } ?? true
    }

    /// The bars of downloads that have begun, and the total.
    mutating func drawn(on size: Terminal.Size, now: ContinuousClock.Instant) -> String {
        guard done < count else { return "" }
        lastDraw = now
        // Three rows are left for the total, the cursor and the top row: some terminals keep the text when all rows are
        // erased.
        let room = max(0, min(Self.limit, size.rows - 3))
        let running = bars.lazy.compactMap { bar in bar.progress.map { Self.line(bar.name, $0, size.columns) } }
        let lines = running.prefix(room) + [total(size.columns)]
        drawn = lines.map(\.utf8.count)
        return lines.map { $0 + "\n" }.joined()
    }

    /// Moves to the first drawn line and clears everything below.
    mutating func erased(from size: Terminal.Size) -> String {
        guard !drawn.isEmpty else { return "" }
        // A narrower window has wrapped the lines.
        let rows = drawn.reduce(0) { $0 + max(1, ($1 + size.columns - 1) / size.columns) }
        drawn = []
        return "\u{1B}[\(rows)A\u{1B}[J"
    }

    private func total(_ columns: Int) -> String {
        let failures = failed == 0 ? "" : ", \(failed) failed"
        let bar = Self.bar(Double(done) / Double(max(1, count)))
        return String("\(bar) \(done) of \(count) done\(failures)".prefix(columns - 1))
    }

    /// One column less than the width: in the last one some terminals wrap the line.
    private static func line(_ name: String, _ progress: LoadProgress, _ columns: Int) -> String {
        let start = "\(bar(progress.fraction ?? 0)) \(amount(progress.receivedByteCount)) "
        let room = columns - 1 - start.count
        guard room >= 8 else { return String(start.prefix(columns - 1)) }
        return start + (name.count <= room ? name : ".." + name.suffix(room - 2))
    }

    private static func bar(_ fraction: Double) -> String {
        let width = 24
        let filled = Int(fraction * Double(width))
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled) + "]"
    }

    /// Nine characters for all sizes of pictures.
    private static func amount(_ byteCount: Int) -> String {
        let text = byteCount < 10_000_000 ? "\(byteCount / 1_000) kB" : "\(byteCount / 1_000_000) MB"
        return String(repeating: " ", count: max(0, 9 - text.count)) + text
    }
}
