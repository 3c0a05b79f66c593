// SPDX-License-Identifier: MIT
public import WebImage

extension SharedCache {
    /// The entry of the local store, or else of the first shared one that has it.
    public func entry(for key: CacheKey) async throws -> DiskEntry? {
        if let entry = try await local?.entry(for: key) { return entry }
        return try await sharedEntry(for: key)
    }

    /// The entry, unless it was made from another content than `original` has now.
    ///
    /// A shared entry is compared with what the shared stores know about the original.
    public func entry(for key: CacheKey, madeFrom original: CacheKey) async throws -> DiskEntry? {
        if let entry = try await local?.entry(for: key, madeFrom: original) { return entry }
        async let knowledge = about(original)
        guard let entry = try await sharedEntry(for: key) else { return nil }
        let about = try await knowledge
        switch about {
        case nil, .unheard:
            // The word that the original is gone may have ended, if the entry is older than that word lasts.
            let lifetime = Lifetime(now: now, maximumAge: max(.zero, configuration.lifetime))
            if lifetime.covers(storedAt: entry.metadata.storedAt, usedAt: 0, keptUntil: nil) { return entry }
            if about == .unheard { return nil }
        case .known(let metadata):
            guard let made = entry.metadata.madeFrom, let present = metadata.generation, made != present else {
                prolongAbout(key, entry.metadata)
                return entry
            }
        case .gone: break
        }
        // While the stores have it, they lease no work on it.
        for lane in lanes { lane.submit(.remove([SharedKey(key)], done: nil)) }
        return nil
    }

    /// What is known about the entry.
    public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
        if let metadata = try await local?.metadata(for: key) { return metadata }
        guard key.isOriginal else { return try await sharedEntry(for: key)?.metadata }
        guard case .known(let metadata)? = try await about(key) else { return nil }
        return metadata
    }

    private func sharedEntry(for key: CacheKey) async throws -> DiskEntry? {
        guard key.isOriginal || key.isFile else { return nil }
        return try await firstAnswer(SharedKey(key)) { bytes, lane in
            let entry = DiskEntry(encoded: bytes, for: key)
            guard let metadata = entry?.metadata else { return nil }
            if metadata.sharedAge?.isSliding == true {
                lane.submit(.prolong(SharedKey(key), lifetime: configuration.lifetime(of: metadata)))
            }
            if key.isOriginal { prolongAbout(key, metadata) }
            return entry
        }
    }

    /// Lets what is known about an original live as long as what was made of it, if that may outlive the limit.
    func prolongAbout(_ key: CacheKey, _ metadata: EntryMetadata) {
        let (lifetime, limit) = (configuration.lifetime(of: metadata), configuration.lifetime)
        guard lifetime > limit || metadata.sharedAge?.isSliding == true else { return }
        for lane in lanes { lane.submit(.prolong(.about(key.original), lifetime: max(lifetime, limit))) }
    }

    func about(_ original: CacheKey) async throws -> SharedEntry.About? {
        try await firstAnswer(SharedKey.about(original), counts: false, afterTrouble: .unheard) { bytes, _ in
            SharedEntry.readAbout(bytes, for: original)
        }
    }

    /// - Parameter trouble: The answer when no store has one, and one of them was in trouble.
    private func firstAnswer<Value: Sendable>(
        _ key: SharedKey, counts: Bool = true, afterTrouble trouble: Value? = nil,
        _ read: ([UInt8], StoreLane) -> Value?
    ) async throws -> Value? {
        var last: Value?
        for lane in lanes {
            switch try await lane.answer(for: key) {
            case .nothing: break
            case .trouble: last = trouble
            case .value(let bytes):
                if let value = read(bytes, lane) {
                    if counts { lane.count(\.hits) }
                    return value
                }
                let message = "The entry \(key) in \"\(lane.traits.name)\" is damaged or another's; it is not used."
                lane.note(SharedStoreError(code: .malformed, message: message))
            }
            if counts { lane.count(\.misses) }
        }
        return last
    }
}
