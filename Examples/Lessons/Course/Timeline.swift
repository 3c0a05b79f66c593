// SPDX-License-Identifier: MIT
import Locks

/// What happened in a scenario, in order, as a person reads it.
final class Timeline: Sendable {
    /// One line: in which step of the executor, to which agent, and what.
    struct Event: Sendable, Equatable {
        let step: Int
        let agent: String
        let text: String
    }

    private struct State {
        var step = 0
        var flightCount = 0
        var events: [Event] = []
    }

    private let state = Mutex(State())

    /// Everything that has happened so far.
    var events: [Event] { state.withLock { $0.events } }

    /// How many steps have begun.
    var stepCount: Int { state.withLock { $0.step } }

    /// Begins the next step: the executor runs one job in each.
    func advance() { state.withLock { $0.step += 1 } }

    /// Adds an event to the present step.
    func note(_ agent: String, _ text: String) {
        state.withLock { $0.events.append(Event(step: $0.step, agent: agent, text: text)) }
    }

    /// The name of the next flight. Flights are numbered in the order in which they begin.
    func nextFlight() -> String {
        state.withLock { state in
            state.flightCount += 1
            return "flight \(state.flightCount)"
        }
    }

    /// The flights to which something has happened, such as "begins".
    func flights(that text: String) -> Set<String> {
        Set(events.filter { $0.agent.hasPrefix("flight") && $0.text == text }.map(\.agent))
    }

    /// The events as a table, a line each.
    var lines: [String] {
        let rows = [("step", "agent", "event")] + events.map { ("\($0.step)", $0.agent, $0.text) }
        let width = rows.map(\.1.count).max() ?? 0
        return rows.map { step, agent, text in
            let (left, right) = (max(0, 4 - step.count), width - agent.count)
            return [String(repeating: " ", count: left) + step, agent + String(repeating: " ", count: right), text]
                .joined(separator: "  ")
        }
    }
}
