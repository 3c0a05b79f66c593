import Synchronization

@testable import WebImage

/// The time since 1970, as a test wants it.
///
/// Begins near the real one, as files carry real dates.
final class TestTime: Sendable {
    private let time = Mutex(DiskCache.Configuration.systemTime())

    var now: Duration { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

/// The warnings of a cache.
final class WarningLog: Sendable {
    private let errors = Mutex<[CacheError]>([])

    var codes: [CacheError.Code] { errors.withLock { $0.map(\.code) } }

    func append(_ error: CacheError) { errors.withLock { $0.append(error) } }
}

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

    /// What becomes of the call with this number.
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
