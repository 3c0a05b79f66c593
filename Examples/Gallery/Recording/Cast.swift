// SPDX-License-Identifier: MIT
import Foundation
import Locks

/// What a script has sent to its terminal, as an asciicast that any player shows.
///
/// - Source: https://docs.asciinema.org/manual/asciicast/v2/
final class Cast: Sendable {
    private struct State {
        var now = Duration.zero
        var events: [(time: Duration, bytes: [UInt8])] = []
    }

    private let columns: Int
    private let rows: Int
    private let state = Mutex(State())

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// Sets the time of what is sent from now on.
    func move(to now: Duration) { state.withLock { $0.now = now } }

    /// Notes bytes that are sent to the terminal. Bytes of one time are one event.
    func note(_ bytes: [UInt8]) {
        state.withLock { state in
            if let last = state.events.last, last.time == state.now {
                state.events[state.events.count - 1].bytes += bytes
            } else {
                state.events.append((state.now, bytes))
            }
        }
    }

    /// The file: a line about the terminal, a line for each event, and an empty one at the end.
    ///
    /// - Parameter end: How long the recording lasts.
    func file(until end: Duration) throws -> Data {
        let events = state.withLock { $0.events }
        let head = Head(width: columns, height: rows, title: "gallery", env: ["TERM": "xterm-256color"])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var file = try encoder.encode(head) + Data("\n".utf8)
        for (time, bytes) in events + [(end, [])] {
            let text = try encoder.encode(String(decoding: bytes, as: UTF8.self))
            file += Data("[\(Self.seconds(time)), \"o\", ".utf8) + text + Data("]\n".utf8)
        }
        return file
    }

    private struct Head: Encodable {
        var version = 2
        let width: Int
        let height: Int
        let title: String
        let env: [String: String]
    }

    /// With three digits, whatever the language of the machine.
    static func seconds(_ time: Duration) -> String {
        let thousandths = Int(time / .milliseconds(1))
        return "\(thousandths / 1_000).\(String(thousandths % 1_000 + 1_000).dropFirst())"
    }
}
