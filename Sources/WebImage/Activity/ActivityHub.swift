// SPDX-License-Identifier: MIT
import Locks
import PlatformBasics

/// Counts activities and tells them to watchers.
///
/// Counting costs an atomic addition. Without a watcher, telling costs one atomic load: the activity is not made. A
/// slow watcher loses the oldest activities; nothing waits for it.
final class ActivityHub: Sendable {
    private struct Watchers {
        var streams: [UInt64: AsyncStream<LoadActivity>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isOver = false
    }

    let tally = LoadTally()
    private let watchers = Mutex(Watchers())
    private let isWatched = Atomic<Bool>(false)

    func tell(_ request: @autoclosure () -> ImageRequest?, _ kind: @autoclosure () -> LoadActivity.Kind) {
        guard isWatched.load(ordering: .relaxed) else { return }
        // Yielding may resume a task, so it happens outside the lock.
        let streams = watchers.withLock { Array($0.streams.values) }
        let request = request()
        let activity = LoadActivity(url: request?.url, label: request?.label, kind: kind())
        for stream in streams { stream.yield(activity) }
    }

    func watch(keeping limit: Int) -> AsyncStream<LoadActivity> {
        let (activities, stream) = AsyncStream.makeStream(
            of: LoadActivity.self, bufferingPolicy: .bufferingNewest(max(1, limit)))
        let id = watchers.withLock { watchers -> UInt64? in
            if watchers.isOver { return nil }
            watchers.lastID += 1
            watchers.streams[watchers.lastID] = stream
            isWatched.store(true, ordering: .relaxed)
            return watchers.lastID
        }
        guard let id else {
            stream.finish()
            return activities
        }
        stream.onTermination = { [weak self] _ in self?.forget(id) }
        return activities
    }

    /// The number of watchers. For tests.
    var watcherCount: Int { watchers.withLock { $0.streams.count } }

    private func forget(_ id: UInt64) {
        watchers.withLock { watchers in
            watchers.streams[id] = nil
            // Under the lock, so that a watcher that joins meanwhile is not switched off.
            if watchers.streams.isEmpty { isWatched.store(false, ordering: .relaxed) }
        }
    }

    /// Ends the sequence of every watcher, also of later ones.
    func finish() {
        let streams = watchers.withLock { watchers in
            watchers.isOver = true
            return Array(watchers.streams.values)
        }
        for stream in streams { stream.finish() }
    }
}
