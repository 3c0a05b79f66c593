// SPDX-License-Identifier: MIT
import Locks
import PlatformBasics
import TaskCoordination
import WebImage

/// The answers of the current second that came from the memory of the loader.
///
/// Within a second every field of such an answer stays the same. So a picture that many clients want is looked up,
/// judged and described once a second, and its other hits cost a look into this table. An answer leaves at the end of
/// its second, so the table keeps no picture that the loader has given up.
final class RecentHits: Sendable {
    struct Key: Hashable, Sendable {
        let target: String
        let acceptsWebP: Bool
    }

    private struct State {
        var second = 0
        var answers: [Key: Answer] = [:]
        var byteCount = 0
        var byteLimit: Int
    }

    private let state: Mutex<State>
    private let limit: Int

    /// The most bytes by default: a 32nd of what the process may use, at most 32 MiB.
    static let byteLimit = min(32 << 20, MemoryBudget.processLimit / 32)

    /// - Parameters:
    ///   - limit: The largest number of answers.
    ///   - byteLimit: The largest number of bytes of targets, fields and bodies.
    init(limit: Int = 4_096, byteLimit: Int = byteLimit) {
        self.limit = limit
        state = Mutex(State(byteLimit: byteLimit))
    }

    /// The bytes of the answers that are kept, and of their targets.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Keeps no more than this from now on.
    func setLimit(_ byteLimit: Int) {
        state.withLock { state in
            if state.byteCount > byteLimit { state = State(byteLimit: byteLimit) } else { state.byteLimit = byteLimit }
        }
    }

    /// Gives memory back, and takes no more than a share until the pressure ends.
    func respond(to pressure: MemoryPressure) {
        switch pressure {
        case .normal: setLimit(Self.byteLimit)
        case .warning: setLimit(Self.byteLimit / 2)
        case .critical: setLimit(Self.byteLimit / 8)
        }
    }

    func removeAll() { state.withLock { $0 = State(byteLimit: $0.byteLimit) } }

    /// The second of the system's clock.
    static var now: Int { time(nil) }

    func answer(for key: Key, at second: Int) -> Answer? {
        state.withLock { $0.second == second ? $0.answers[key] : nil }
    }

    /// Keeps an answer that was made within a second, if there is room.
    func keep(_ answer: Answer, for key: Key, at second: Int) {
        state.withLock { state in
            if state.second != second { state = State(second: second, byteLimit: state.byteLimit) }
            let count = HeapSize.of(key.target) + answer.heapByteCount
            guard state.answers.count < limit, state.byteCount + count <= state.byteLimit else { return }
            state.byteCount += count
            state.answers[key] = answer
        }
    }
}

extension Answer {
    /// What the answer keeps on the heap, and takes in a table, in bytes.
    fileprivate var heapByteCount: Int {
        let fields = fields.reduce(HeapSize.of(fields)) { $0 + HeapSize.of($1.name) + HeapSize.of($1.value) }
        return HeapSize.of(body) + fields + HeapSize.of(notes) + 2 * MemoryLayout<Answer>.stride + 64
    }
}
