// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

struct FlightTests {
    private func flight(_ asked: Int, _ activities: LoadActivity.Kind...) -> Flight {
        var flight = Flight(name: "a")
        flight.counts.asked = asked
        for activity in activities { flight.note(activity) }
        return flight
    }

    private func progress(_ count: Int) -> LoadActivity.Kind {
        .progress(LoadProgress(receivedByteCount: count, expectedByteCount: 100))
    }

    /// The states that are shown, one after the other.
    private func shown(_ flight: Flight) -> [Flight.State] {
        var flight = flight
        var states: [Flight.State] = []
        while flight.isBehind {
            flight.goOn()
            states.append(flight.state)
        }
        return states
    }

    @Test func `every state is shown, however short it was`() {
        let flight = flight(
            2, .queued, .started(waited: .zero), progress(10), progress(40), progress(100),
            .decoded(width: 1, height: 1, took: .zero), .finished(.network, took: .zero),
            .finished(.network, took: .zero))
        expectEqual(shown(flight), [.waiting, .downloading(0.4), .decoding, .done(.network)])
        expectEqual(flight.counts.served, 2)
        expectEqual(flight.counts.waiting, 0)
        expectEqual(flight.counts.downloads, 1)
    }

    @Test func `callers that found a flight have joined it`() {
        let flight = flight(
            1_000, .queued, .started(waited: .zero), .cacheHit(.memory), .finished(.memory, took: .zero))
        expectEqual(flight.counts.joined, 998)
        expectEqual(self.flight(7, .cacheHit(.disk)).counts.joined, 6)
        expectEqual(self.flight(3).counts.waiting, 3)
        // Each is counted once, whatever became of it.
        let ends = self.flight(
            4, .started(waited: .zero), .finished(.network, took: .zero), .cancelled,
            .failed(ImageLoadError(code: .transferFailed, message: "no")))
        expectEqual([ends.counts.served, ends.counts.left, ends.counts.failed, ends.counts.waiting], [1, 1, 1, 1])
        expectEqual((ends.counts + flight.counts).failed, 1)
    }

    @Test func `a download is cancelled when the last caller has left, and its bar stays`() {
        var flight = flight(2, .started(waited: .zero), progress(43), .cancelled)
        expectEqual(shown(flight), [.downloading(0.43)])
        flight.goOn()
        flight.note(.cancelled)
        expectEqual(shown(flight), [.cancelled])
        flight.goOn()
        expectEqual(flight.fraction, 0.43)
        expectEqual(flight.counts.left, 2)
        // Another caller comes, and another flight begins.
        flight.counts.asked += 1
        flight.note(.queued)
        expectEqual(shown(flight), [.waiting])
        flight.goOn()
        expectEqual(flight.fraction, 0)
        flight.note(.finished(.network, took: .zero))
        flight.goOn()
        expectEqual(flight.fraction, 1)
    }

    private static let top = "a                          50%"
    private static let half = String(repeating: "━", count: 15) + String(repeating: "─", count: 15)
    private static let crowd = String(repeating: "▄", count: 15)

    @Test(arguments: [
        (1, ["a            ╸       50%     9"]),
        (2, [Self.top, "━━━━━━━━━╸─────────  9 callers"]),
        (3, [Self.top, Self.half, "▄▄▄▄▄▄▄▄▄            9 callers"]),
        (4, [Self.top, Self.half, "9 callers, 7 joined", Self.crowd]),
        (5, [Self.top, Self.half, "9 callers, 7 joined", Self.crowd, "0 served, 2 gave up, 1 from me"]),
    ])
    func `a card shows as much of its flight as it has lines`(rows: Int, expected: [String]) {
        var flight = flight(9, .started(waited: .zero), progress(50), .cacheHit(.memory), .cancelled, .cancelled)
        flight.goOn()
        var scene = Scene(size: TerminalSize(columns: 30, rows: rows))
        FlightCard(flight, most: 18, ScreenRect(column: 0, row: 0, columns: 30, rows: rows)).draw(into: &scene)
        var screen = Screen(columns: 30, rows: rows)
        for label in scene.labels { screen.write(label.text, label.column, label.row, label.color) }
        expectEqual(screen.text, expected.joined(separator: "\n"))
    }

    @Test func `late reports move nothing back, and a new stampede begins with nothing`() {
        // A caller that leaves after others were served cancels nothing.
        let left = flight(2, .started(waited: .zero), .finished(.network, took: .zero), .cancelled)
        expectEqual(shown(left), [.downloading(0), .done(.network)])
        // Where the first caller got the picture from stays on the board.
        let first = flight(2, .finished(.network, took: .zero), .cacheHit(.memory), .finished(.memory, took: .zero))
        expectEqual(shown(first), [.done(.network)])
        // An early report comes late.
        expectEqual(shown(flight(1, progress(100), progress(30), .started(waited: .zero))), [.decoding])
        var flight = flight(2, .started(waited: .zero), progress(43), progress(100))
        flight.goOn()
        flight.reset()
        expectAll(flight.state == .idle, flight.fraction == 0, flight.counts == .init(), !flight.isBehind)
    }

    @Test func `a crowd follows from its seed`() {
        let crowd = Crowd(pictures: 10, seed: 5)
        let again = Crowd(pictures: 10, seed: 5)
        let other = Crowd(pictures: 10, seed: 6)
        expectEqual(crowd.callers.count, 1_000)
        expectEqual(crowd.callers.map(\.picture), again.callers.map(\.picture))
        expect(crowd.callers.map(\.picture) != other.callers.map(\.picture))
        expectEqual(crowd.callers.prefix(10).map(\.picture), Array(0..<10))
        expect(zip(crowd.callers, crowd.callers.dropFirst()).allSatisfy { $0.arrival <= $1.arrival })
        expect(crowd.callers.allSatisfy { $0.arrival < Crowd.rush })
        // Most stay, and pictures differ in how urgent they are.
        expect((200..<300).contains(crowd.callers.count { $0.patience != nil }))
        expect(Set(crowd.callers.map(\.priority)).count, >=, 4)
        expect(Crowd(pictures: 0, seed: 1).callers.allSatisfy { $0.picture == 0 })
    }

    @Test func `bars are as wide as they are told, and numbers are written as a reader expects`() {
        expectEqual(Bar.progress(0.5, 5, .accent).text, "━━╸──")
        expectEqual(Bar.progress(-1, 3, .accent).text, "───")
        expectEqual(Bar.progress(7, 3, .accent).text, "━━━")
        expectEqual(Bar.progress(0.5, -3, .accent).text, "")
        var counts = Flight.Counts()
        (counts.asked, counts.served, counts.left) = (8, 4, 2)
        let bar = Bar.crowd(counts, of: 10, 10)
        expectEqual(bar.pieces.map(\.text), ["━━━━", "━━", "━━", "──"])
        expectEqual(bar.pieces.map(\.color), [.good, .accent, .alarm, .faint])
        expectEqual(Bar.crowd(counts, of: 0, 4).text.count, 4)
        expectEqual(Bar.crowd(counts, of: 3, 10).text.count, 10)
        expectEqual([0, 999, 1_000, 12_034].map(Figures.text), ["0", "999", "1,000", "12,034"])
        expectEqual(Figures.plural(1, "caller"), "1 caller")
        expectEqual(Figures.plural(0, "caller"), "0 callers")
        expectEqual(Figures.seconds(.milliseconds(3_270)), "3.2 s")
    }
}
