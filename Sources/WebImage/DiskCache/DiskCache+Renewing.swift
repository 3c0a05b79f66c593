// SPDX-License-Identifier: MIT
extension DiskCache {
    /// What the renewal of an entry's file ended with.
    private enum Renewal {
        /// A file of this size, kept until this time.
        case renewed(Int, keptUntil: Int64?)
        /// No entry, a damaged one, or one with another content.
        case nothing
        case tooLarge
    }

    /// Changes what is known about a stored entry, and counts it as stored now. Its bytes stay.
    ///
    /// The metadata stands before the body in the entry's file, and a file never changes after it has its name. So the
    /// entry is verified, written again and renamed. Readers see the earlier entry until then, and a crash leaves one
    /// of the two.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - generation: An entry with another content is left alone; `nil` stands for any content.
    ///   - change: Changes the metadata, on a thread of the cache. Its `storedAt` and `generation` are set by the
    ///     cache.
    /// - Returns: Whether the change was stored, or why not; `nil` when no entry with this content is stored.
    /// - Throws: `CancellationError` only, and then nothing was changed.
    /// - Complexity: A read and a store.
    @discardableResult
    public func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        try Task.checkCancellation()
        guard begin() else { return refuseShutDown() }
        defer { end() }
        guard !isBackingOff else { return refuseFull() }
        let digest = KeyDigest(of: key)
        try await takeTurn(digest)
        defer { passTurn(digest) }
        let (files, limit, time) = (self.files, fileSizeLimit, now)
        let result = try await perform {
            Result { () throws(SystemFailure) -> Renewal in
                guard case .entry(let entry, _) = try files.read(key, digest, fileSizeLimit: limit, withBody: true),
                    generation == nil || entry.metadata.generation == generation
                else { return .nothing }
                var metadata = entry.metadata
                change(&metadata)
                metadata.storedAt = time
                guard
                    let front = EntryHeader.front(
                        key: key, metadata: metadata, body: entry.bytes, filledUpTo: limit),
                    front.count + entry.bytes.count <= limit
                else { return .tooLarge }
                let size = try files.write(front: front, body: entry.bytes, as: digest, storedAt: time)
                return .renewed(size, keptUntil: metadata.keptUntil)
            }
        }
        switch result {
        case .success(.renewed(let size, let keptUntil)):
            note(digest, size: size, storedAt: time, keptUntil: keptUntil)
            warnings.recover(.writing)
            return .stored
        case .success(.nothing): return nil
        case .success(.tooLarge): return refuseTooLarge()
        case .failure(let failure): return await refuse(failure)
        case nil: return refuseOverloaded()
        }
    }
}
