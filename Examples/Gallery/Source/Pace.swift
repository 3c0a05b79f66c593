// SPDX-License-Identifier: MIT
import Locks
import WebImageBinding
import WebImageTesting

/// Lets replies leave in pieces, at times that the program gives: from a clock, or from a script.
final class Pace: Sendable {
    /// From one piece of a reply to the next.
    static let interval = Duration.milliseconds(100)

    private struct Reply {
        let start: Duration
        var gates: ArraySlice<OriginGate>
        var openedCount = 0
    }

    private struct State {
        var now = Duration.zero
        var replies: [Reply] = []
        var isOver = false
    }

    private let state = Mutex(State())

    /// Holds a reply so that it leaves in `pieces` pieces, the first one after an interval from now.
    func paced(_ reply: OriginReply, pieces: Int) -> OriginReply {
        let gates = (0..<max(1, pieces)).map { _ in OriginGate() }
        let isHeld = state.withLock { state in
            if !state.isOver { state.replies.append(Reply(start: state.now, gates: gates[...])) }
            return !state.isOver
        }
        guard isHeld else { return reply }
        return gates.enumerated().reduce(reply) { reply, gate in
            reply.held(at: gate.element, afterBodyBytes: gate.offset * reply.body.count / gates.count)
        }
    }

    /// Lets everything leave whose time has come.
    ///
    /// - Parameter now: The time since the start; it never goes back.
    func release(at now: Duration) {
        open { state in
            state.now = max(state.now, now)
            var due: [OriginGate] = []
            for index in state.replies.indices {
                let count = Int((state.now - state.replies[index].start) / Self.interval)
                while state.replies[index].openedCount < count, let gate = state.replies[index].gates.popFirst() {
                    state.replies[index].openedCount += 1
                    due.append(gate)
                }
            }
            state.replies.removeAll { $0.gates.isEmpty }
            return due
        }
    }

    /// Lets everything leave, also later replies.
    func end() {
        open { state in
            state.isOver = true
            defer { state.replies = [] }
            return state.replies.flatMap { Array($0.gates) }
        }
    }

    /// Replies that wait for their next release. One whose connection was closed waits for none.
    var waitingCount: Int { state.withLock { $0.replies.count { ($0.gates.first?.reachedCount ?? 0) > 0 } } }

    /// Gates wake threads, so they are opened outside the lock.
    private func open(_ take: (inout sending State) -> [OriginGate]) {
        for gate in state.withLock({ take(&$0) }) { gate.open() }
    }
}
