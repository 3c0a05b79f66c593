// SPDX-License-Identifier: MIT
internal import TaskCoordination

extension DiskCache {
    /// Files removed in one job on a thread: some milliseconds, after which other operations have their turn.
    package static var sliceLength: Int { 100 }

    /// Trimming starts above this sum of sizes.
    var trimStart: Int { maximumByteCount - maximumByteCount / 20 }

    /// Trimming ends at this sum of sizes.
    var trimEnd: Int { maximumByteCount - maximumByteCount / 10 }

    /// Removes the entries least worth their space until their files' sizes sum up to at most `byteCount`.
    ///
    /// Entries that are being changed are kept. Waits until the folder was listed once, and lists it again when other
    /// caches have changed it.
    ///
    /// - Throws: `CancellationError` between slices.
    /// - Complexity: O(n) for the index, and one removal of a file for each entry.
    public func trim(toBytes byteCount: Int) async throws {
        guard try begin() else { return }
        defer { end() }
        await waitForIndex()
        await consultAccount()
        if foreign.hasChanged { _ = await listFolder() }
        while index.totalBytes > max(0, byteCount) {
            try Task.checkCancellation()
            if await trimSlice(toFree: index.totalBytes - max(0, byteCount)) == 0 { break }
        }
        await announceRemovals()
    }

    /// Removes every entry that was stored before the call.
    ///
    /// Files that are no entries are kept.
    ///
    /// - Throws: `CancellationError` between slices.
    public func removeAll() async throws {
        guard try begin() else { return }
        defer { end() }
        let files = self.files
        for names in try await perform({ files.presentFolders() })?.slices(of: 8) ?? [] {
            try Task.checkCancellation()
            for slice in await list(names).flatMap(\.files).slices(of: Self.sliceLength) {
                try Task.checkCancellation()
                let left = await removeFree(slice.map(\.digest)).left
                // One turn at a time: holding turns while waiting for more could deadlock.
                for digest in left where turns.isTaken(digest) { try await removeWaitingForTurn(digest) }
            }
        }
        await announceRemovals()
    }

    /// Makes room before a store would pass the limit.
    ///
    /// Usually the maintenance task has done so before. When other caches have changed the folder, it must list the
    /// folder first and have the right to trim. Meanwhile each store frees as many bytes as it takes, so no store waits
    /// and the folder does not grow.
    func makeRoom(for byteCount: Int) async {
        while knownBytes + pendingBytes > maximumByteCount {
            if foreign.hasChanged {
                startMaintenance()
                _ = await trimSlice(toFree: byteCount)
                return
            }
            if await trimSlice(toFree: knownBytes + pendingBytes - maximumByteCount) == 0 { return }
        }
    }

    /// Removes some entries, at most ``sliceLength``.
    ///
    /// - Returns: How many; 0 when none can be removed now.
    func trimSlice(toFree byteCount: Int) async -> Int {
        var slice = nextVictims(toFree: byteCount)
        if slice.isEmpty {
            // One operation at a time chooses: two plans would name the same entries.
            guard (try? await takeTurn(.choice)) != nil else { return 0 }
            slice = nextVictims(toFree: byteCount)
            if slice.isEmpty {
                await chooseVictims(toFree: byteCount)
                slice = nextVictims(toFree: byteCount)
            }
            passTurn(.choice)
        }
        let count = await removeIfUnchanged(slice)
        counters.evictions += count
        return count
    }

    /// Chooses enough for several slices, because choosing reads the whole index: a copy of it, on a thread.
    private func chooseVictims(toFree byteCount: Int) async {
        let (index, now, lifetime) = (self.index, self.now, self.lifetime)
        let planned = max(byteCount, index.totalBytes - trimEnd)
        let found = try? await perform {
            index.victims(toFree: planned, limit: 40 * Self.sliceLength, now: now, lifetime: lifetime)
        }
        plannedVictims = (found ?? [])[...]
    }

    /// Takes from the plan the entries that were not used or stored since they were chosen.
    private func nextVictims(toFree byteCount: Int) -> [DiskIndex.Victim] {
        var slice: [DiskIndex.Victim] = []
        var freed = 0
        while freed < byteCount, slice.count < Self.sliceLength, let victim = plannedVictims.popFirst() {
            guard index[victim.digest] == victim.record else { continue }
            slice.append(victim)
            freed += victim.record.size
        }
        return slice
    }

    /// Removes the entries that were not used or stored since they were chosen.
    func removeIfUnchanged(_ victims: [DiskIndex.Victim]) async -> Int {
        await removeFree(victims.lazy.filter { self.index[$0.digest] == $0.record }.map(\.digest)).removed
    }

    /// Removes the entries that no operation is changing, in one job on a thread.
    private func removeFree(_ digests: [KeyDigest]) async -> (removed: Int, left: [KeyDigest]) {
        let taken = digests.filter { turns.take($0) }
        guard !taken.isEmpty else { return (0, digests) }
        defer { for digest in taken { passTurn(digest) } }
        let files = self.files
        // Not interrupted: a slice that is half removed and not noted would leave the index wrong.
        let outcome = try? await perform {
            var removed: [KeyDigest] = []
            var failure: SystemFailure?
            for digest in taken {
                do throws(SystemFailure) {
                    try files.remove(digest)
                    removed.append(digest)
                } catch {
                    failure = error
                }
            }
            return (removed, failure)
        }
        guard let (removed, failure) = outcome else { return (0, digests) }
        for digest in removed { note(digest, size: nil, storedAt: 0) }
        if let failure {
            warn(CacheError(failure, path: files.folder), during: .removing)
        } else {
            warnings.recover(.removing)
        }
        let gone = Set(removed)
        return (removed.count, digests.filter { !gone.contains($0) })
    }
}

extension Array {
    /// Consecutive parts of at most `length` elements.
    package func slices(of length: Int) -> [[Element]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}

extension KeyDigest {
    /// The turn of an operation that chooses what goes. No key is likely to have this digest; one that has waits.
    fileprivate static let choice = KeyDigest(high: 0, low: 0)
}
