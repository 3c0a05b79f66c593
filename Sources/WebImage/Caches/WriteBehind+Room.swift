// SPDX-License-Identifier: MIT
import TaskCoordination

// MARK: - Waiting for room

extension WriteBehind {
    /// A submission that waits for room.
    struct Submission {
        var key: CacheKey
        var write: PendingWrite
        var isCurrent: @Sendable () -> Bool
        /// Resolved with `true` once the write is taken.
        var taken: OneShot<Bool>
    }

    /// Writes the entry that `making` makes, later. Waits until there is room for it.
    ///
    /// **Cancellation**: ends the wait; the write is dropped.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - byteCount: The memory that `making` keeps.
    ///   - isCurrent: Called in the step that takes the write; `false` means that newer content has arrived.
    ///   - making: Makes the entry when the write begins.
    func submit(
        for key: CacheKey, byteCount: Int, if isCurrent: @escaping @Sendable () -> Bool = { true },
        _ making: @escaping Making
    ) async {
        let write = PendingWrite(making: making, for: key, byteCount: byteCount, period: periods.current)
        guard isOpen else { return drop(key) }
        begin()
        guard !hasRoom(for: write, key) else { return take(write, key, isCurrent) }
        lastNumber += 1
        let (number, taken) = (lastNumber, OneShot<Bool>())
        places[number] = Submission(key: key, write: write, isCurrent: isCurrent, taken: taken)
        placeCounts[key, default: 0] += 1
        line.append(number)
        if await taken.wait(onCancel: false) { return }
        // Cancelled or abandoned. The place may have been passed over meanwhile, but not taken.
        removePlace(number)
        drop(key)
        end(write, key)
        admit()
    }

    /// Whether a write may be taken now. A submission does not overtake those that wait.
    func hasRoom(for write: PendingWrite, _ key: CacheKey) -> Bool { places.isEmpty && fits(write, key) }

    private func fits(_ write: PendingWrite, _ key: CacheKey) -> Bool {
        // What the write replaces gives its memory back.
        let kept = pendingByteCount - (newest[key]?.byteCount ?? 0)
        return kept == 0 || write.byteCount <= max(0, byteLimit) - kept
    }

    /// Takes the submissions for which there is room, in order of arrival.
    func admit() {
        while let number = line.first {
            if let place = places[number] {
                guard fits(place.write, place.key) else { return }
                removePlace(number)
                // A cancelled submission drops its write itself.
                if place.taken.resolve(true) { take(place.write, place.key, place.isCurrent) }
            }
            _ = line.popFirst()
        }
    }

    private func removePlace(_ number: Int) {
        guard let place = places.removeValue(forKey: number) else { return }
        let count = placeCounts[place.key] ?? 0
        placeCounts[place.key] = count > 1 ? count - 1 : nil
        if places.isEmpty { line = HeadQueue() }
    }
}
