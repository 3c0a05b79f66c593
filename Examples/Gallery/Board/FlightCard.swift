// SPDX-License-Identifier: MIT
import WebImageBinding

/// The text of one flight: its name and state, how much has arrived, and its callers; as many lines as there are.
struct FlightCard {
    private let flight: Flight
    /// The calls of the picture that is asked for most.
    private let most: Int
    private let rect: ScreenRect

    init(_ flight: Flight, most: Int, _ rect: ScreenRect) {
        self.flight = flight
        self.most = most
        self.rect = rect
    }

    func draw(into scene: inout Scene) {
        let (word, color) = state
        let counts = flight.counts
        let callers = Figures.plural(counts.asked, "caller")
        if rect.rows == 1 { return drawLine(word, color, into: &scene) }
        put(flight.name, 0, 0, .text, &scene)
        put(word, rect.columns - word.count, 0, color, &scene)
        // Bars of all cards have one length.
        let widest = Figures.plural(most, "caller").count
        let hasRoom = rect.columns >= widest + 10
        if rect.rows == 2 {
            let room = rect.columns - (hasRoom ? widest + 1 : 0)
            bar(room).draw(at: rect.column, rect.row + 1, into: &scene)
            if hasRoom { put(callers, rect.columns - callers.count, 1, .dim, &scene) }
            return
        }
        bar(rect.columns).draw(at: rect.column, rect.row + 1, into: &scene)
        // In three lines the number of callers is beside their bar.
        let room = rect.columns - (rect.rows == 3 && hasRoom ? widest + 1 : 0)
        let width = most > 0 ? max(1, room * counts.asked / most) : 0
        Bar.crowd(counts, of: counts.asked, width, "▄")
            .draw(at: rect.column, rect.row + min(3, rect.rows - 1), into: &scene)
        if rect.rows == 3 {
            if hasRoom { put(callers, rect.columns - callers.count, 2, .dim, &scene) }
            return
        }
        let joined = counts.joined > 0 ? "\(counts.joined) joined" : ""
        let both = joined.isEmpty ? callers : "\(callers), \(joined)"
        put(both.count <= rect.columns ? both : joined, 0, 2, .dim, &scene)
        if rect.rows >= 5 {
            var words = ["\(counts.served) served", "\(counts.left) gave up"]
            if counts.memoryHits > 0 { words.append("\(counts.memoryHits) from memory") }
            put(words.joined(separator: ", "), 0, 4, .dim, &scene)
        }
    }

    /// Everything in one line: name, bar, state, callers.
    private func drawLine(_ word: String, _ color: Color, into scene: inout Scene) {
        let calls = "\(flight.counts.asked)"
        put(String(flight.name.prefix(12)), 0, 0, .text, &scene)
        put(calls, rect.columns - calls.count, 0, .dim, &scene)
        put(word, rect.columns - 6 - word.count, 0, color, &scene)
        let room = rect.columns - 13 - 6 - 10
        if room > 0 { bar(room).draw(at: rect.column + 13, rect.row, into: &scene) }
    }

    private func put(_ text: String, _ column: Int, _ line: Int, _ color: Color, _ scene: inout Scene) {
        let room = max(0, rect.columns - max(0, column))
        scene.labels.append(
            .init(
                text: String(text.prefix(room)), column: rect.column + max(0, column), row: rect.row + line,
                color: color))
    }

    private func bar(_ width: Int) -> Bar { Bar.progress(flight.fraction, width, state.1) }

    private var state: (String, Color) {
        switch flight.state {
        case .idle: ("", .dim)
        case .waiting: ("queued", .dim)
        case .downloading(let fraction): ("\(Int(fraction * 100))%", .accent)
        case .decoding: ("decoding", .busy)
        case .done(.network), .done(.program): ("done", .good)
        case .done(.memory): ("memory", .good)
        case .done(.disk): ("from disk", .good)
        case .cancelled: ("cancelled", .alarm)
        case .failed: ("failed", .alarm)
        }
    }
}

/// Pieces of a line in several colours.
struct Bar: Hashable {
    private(set) var pieces: [(text: String, color: Color)] = []

    /// A part of a line, to half a column.
    static func progress(_ fraction: Double, _ width: Int, _ color: Color) -> Bar {
        let width = max(0, width)
        let halves = Int((min(1, max(0, fraction)) * Double(width * 2)).rounded())
        var bar = Bar()
        bar.add(String(repeating: "━", count: halves / 2) + (halves % 2 == 1 ? "╸" : ""), color)
        bar.add(String(repeating: "─", count: width - (halves + 1) / 2), .faint)
        return bar
    }

    /// Callers, of `expected`: served, waiting, gone, and those who have not come.
    static func crowd(_ counts: Flight.Counts, of expected: Int, _ width: Int, _ piece: Character = "━") -> Bar {
        let expected = max(1, expected)
        let width = max(0, width)
        var bar = Bar()
        var callers = 0
        var drawn = 0
        let parts = [
            (counts.served, Color.good), (counts.waiting, .accent), (counts.left + counts.failed, .alarm),
            (expected - counts.asked, .faint),
        ]
        for (count, color) in parts {
            callers += max(0, count)
            let end = min(width, callers * width / expected)
            bar.add(String(repeating: color == .faint ? "─" : piece, count: max(0, end - drawn)), color)
            drawn = max(drawn, end)
        }
        return bar
    }

    func draw(at column: Int, _ row: Int, into scene: inout Scene) {
        var column = column
        for piece in pieces {
            scene.labels.append(.init(text: piece.text, column: column, row: row, color: piece.color))
            column += piece.text.count
        }
    }

    /// The text without its colours.
    var text: String { pieces.map(\.text).joined() }

    private mutating func add(_ text: String, _ color: Color) {
        if !text.isEmpty { pieces.append((text, color)) }
    }

    static func == (one: Bar, other: Bar) -> Bool { one.pieces.elementsEqual(other.pieces, by: ==) }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Numbers as the board writes them.
enum Figures {
    /// `1,000`.
    static func text(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(number / 1_000),\(String(number % 1_000 + 1_000).dropFirst())"
    }

    /// `1 caller`, `2 callers`.
    static func plural(_ count: Int, _ word: String) -> String { "\(text(count)) \(word)\(count == 1 ? "" : "s")" }

    /// `3.2 s`.
    static func seconds(_ time: Duration) -> String {
        let tenths = Int(time / .milliseconds(100))
        return "\(tenths / 10).\(tenths % 10) s"
    }
}
