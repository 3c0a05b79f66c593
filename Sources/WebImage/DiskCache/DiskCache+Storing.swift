// SPDX-License-Identifier: MIT
extension DiskCache {
    /// Stores an entry in place of an earlier one.
    ///
    /// Readers see the earlier entry until the new one is complete.
    ///
    /// - Parameters:
    ///   - entry: Its `storedAt` is replaced by the cache's time, and its `generation` by that of its bytes.
    ///   - key: The key of the entry.
    /// - Returns: `.notStored` with the reason when the entry is above the largest size, when the disk is
    ///   full, cannot be written or is overloaded, or when the cache was shut down. After a full disk, stores are
    ///   refused for one second without being tried.
    /// - Throws: `CancellationError` only, and then nothing was stored.
    public func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
        try Task.checkCancellation()
        guard begin() else { return refuseShutDown() }
        defer { end() }
        let estimate = EntryHeader.length + key.rawValue.utf8.count + entry.bytes.count
        guard estimate <= fileSizeLimit else { return refuseTooLarge() }
        guard !isBackingOff else { return refuseFull() }

        let digest = KeyDigest(of: key)
        try await takeTurn(digest)
        defer { passTurn(digest) }
        pendingBytes += estimate
        defer { pendingBytes -= estimate }
        await announce(estimate)
        await makeRoom(for: estimate)

        let (files, limit, time, free) = (self.files, fileSizeLimit, now, configuration.minimumFreeByteCount)
        let result = try await perform { () -> Result<Int?, SystemFailure> in
            guard files.hasRoom(for: estimate, leaving: free) else { return .failure(.full) }
            var metadata = entry.metadata
            metadata.storedAt = time
            guard
                let front = EntryHeader.front(
                    key: key, metadata: metadata, body: entry.bytes, filledUpTo: limit),
                front.count + entry.bytes.count <= limit
            else { return .success(nil) }
            return Result { () throws(SystemFailure) in
                try files.write(front: front, body: entry.bytes, as: digest, storedAt: time)
            }
        }
        switch result {
        case .success(let size?):
            note(digest, size: size, storedAt: time, keptUntil: entry.metadata.keptUntil)
            counters.stores += 1
            warnings.recover(.writing)
            if knownBytes > trimStart { startMaintenance() }
            return .stored
        case .success(nil):
            return refuseTooLarge()
        case .failure(let failure):
            return await refuse(failure)
        case nil:
            return refuseOverloaded()
        }
    }

    /// Removes the entry stored for `key`.
    ///
    /// Does nothing when there is none.
    ///
    /// - Throws: `CancellationError` only, and then nothing was removed.
    public func remove(_ key: CacheKey) async throws {
        try Task.checkCancellation()
        guard begin() else { return }
        defer { end() }
        try await removeWaitingForTurn(KeyDigest(of: key))
    }

    /// Removes the entry of an original, and every entry that was made of it.
    ///
    /// - Throws: `CancellationError` only. Some entries may be removed by then.
    /// - Complexity: Lists one of the 256 folders.
    public func removeAll(madeFrom original: CacheKey) async throws {
        try Task.checkCancellation()
        guard begin() else { return }
        defer { end() }
        let (group, files) = (KeyDigest(of: original), self.files)
        let found = try await perform {
            Result { () throws(SystemFailure) in
                try files.list(group.folder).map(\.digest).filter { $0.isOfSameOriginal(as: group) }
            }
        }
        switch found {
        case .success(let digests): for digest in digests { try await removeWaitingForTurn(digest) }
        case .failure(let failure): warn(CacheError(failure, path: files.folder), during: .removing)
        case nil: break
        }
    }

    func removeWaitingForTurn(_ digest: KeyDigest) async throws {
        try await takeTurn(digest)
        defer { passTurn(digest) }
        let files = self.files
        let result = try await perform {
            Result { () throws(SystemFailure) in try files.remove(digest, onlyIf: nil) }
        }
        settle(digest, result, during: .removing)
    }

    var isBackingOff: Bool { backOff?.contains(configuration.now()) ?? false }

    private func refuse(_ code: CacheError.Code, _ message: String) -> StoreOutcome {
        counters.refusals += 1
        return .notStored(CacheError(code: code, message: message, path: files.folder))
    }

    func refuseShutDown() -> StoreOutcome {
        refuse(.shutDown, "The cache was shut down. Nothing is stored any more.")
    }

    func refuseFull() -> StoreOutcome { refuse(.diskFull, "The disk was full a moment ago. Free space.") }

    func refuseOverloaded() -> StoreOutcome {
        refuse(.overloaded, "Too many operations wait for the disk. Store fewer entries at a time.")
    }

    func refuseTooLarge() -> StoreOutcome {
        refuse(.tooLarge, "The entry is above \(fileSizeLimit) bytes, the most for one. Raise the size limit.")
    }

    /// Handles a failed write: one warning, and on a full disk one slice of room for later stores.
    func refuse(_ failure: SystemFailure) async -> StoreOutcome {
        counters.refusals += 1
        let error = CacheError(failure, path: files.folder)
        warn(error, during: .writing)
        if failure.isFull {
            // A range, so that a clock that is set back does not lengthen the pause.
            let time = min(configuration.now(), .seconds(Int64.max))
            backOff = time..<(time + .seconds(1))
            _ = await trimSlice(toFree: max(pendingBytes, index.totalBytes / 20))
        }
        return .notStored(error)
    }
}

/// The result of a store.
public enum StoreOutcome: Sendable {
    /// The entry can be read from now on, also by other processes.
    case stored
    /// The entry was not kept, for this reason. The earlier entry may still be there.
    case notStored(CacheError)

    /// Whether the entry was kept.
    public var isStored: Bool {
        if case .stored = self { true } else { false }
    }

    /// Why the entry was not kept.
    public var error: CacheError? {
        if case .notStored(let error) = self { error } else { nil }
    }
}
