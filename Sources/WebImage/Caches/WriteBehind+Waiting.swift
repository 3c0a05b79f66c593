// SPDX-License-Identifier: MIT
import TaskCoordination

// MARK: - Waiting for writes

extension WriteBehind {
    /// Waits until what was submitted for `key` is written, so that no reader gets an entry that is about to be
    /// replaced.
    ///
    /// **Cancellation**: returns at once. **Priority**: the writer rises to the priority of the waiting task. A key
    /// that waits for a writer gets one at once.
    func settle(_ key: CacheKey) async {
        guard !isAbandoned, isPending(key) else { return }
        if newest[key] != nil { startWriter(key) }
        writers[key]?.escalatePriority(to: Task.currentPriority)
        let place = OneShot<Void>()
        readers[key, default: [:]][ObjectIdentifier(place)] = place
        await place.wait(onCancel: ())
        // A cancelled wait removes its entry; after any other wait there is none.
        readers[key]?[ObjectIdentifier(place)] = nil
        if readers[key]?.isEmpty == true { readers[key] = nil }
    }

    /// Waits until everything submitted before the call is written or dropped. Later submissions do not extend it.
    ///
    /// **Cancellation**: returns at once.
    func flush() async {
        guard !isAbandoned, let period = periods.close() else { return }
        let place = OneShot<Void>()
        flushes.append((period, place))
        await place.wait(onCancel: ())
        flushes.removeAll { $0.place === place }
    }
}

// MARK: - The end

extension WriteBehind {
    /// Waits until nothing is left to write, or everything has been abandoned.
    func drain() async {
        if !isAbandoned { await work.untilIdle()?.wait() }
    }

    /// Refuses new writes. Those that wait for room are still taken.
    func close() { isOpen = false }

    /// Waits until no write is under way, also of those that were abandoned.
    func writersEnd() async {
        while let writer = writers.values.first { await writer.value }
    }

    /// Drops the waiting writes and does not wait for the running ones: a write is a temporary file and a rename, so an
    /// abandoned one leaves no broken entry.
    func abandon() {
        isOpen = false
        isAbandoned = true
        let dropped = newest
        newest.removeAll()
        for (key, write) in dropped {
            drop(key)
            finish(write, key)
        }
        for writer in writers.values { writer.cancel() }
        let waiting = readers.values.flatMap(\.values) + flushes.map(\.place)
        readers.removeAll()
        flushes.removeAll()
        waiting.resume()
        work.takeWaiting().resume()
        for place in Array(places.values) { place.taken.resolve(false) }
    }
}
