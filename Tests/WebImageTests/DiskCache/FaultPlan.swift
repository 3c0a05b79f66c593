// SPDX-License-Identifier: MIT
import Locks

@testable import WebImage

/// Makes chosen system calls fail.
final class FaultPlan: Sendable {
    private struct State {
        var calls: [FileSystem.Call] = []
        var rule: @Sendable (Int, FileSystem.Call) -> FileSystem.Fault? = { _, _ in nil }
    }

    private let state = Mutex(State())

    /// The calls made so far.
    var calls: [FileSystem.Call] { state.withLock { $0.calls } }

    /// The number of calls made so far.
    var count: Int { calls.count }

    /// The fault of the call with this number.
    func set(_ rule: @escaping @Sendable (Int, FileSystem.Call) -> FileSystem.Fault?) {
        state.withLock { $0.rule = rule }
    }

    func clear() { set { _, _ in nil } }

    var system: FileSystem {
        FileSystem(fault: { [self] call in
            state.withLock { state in
                state.calls.append(call)
                return state.rule(state.calls.count, call)
            }
        })
    }
}
