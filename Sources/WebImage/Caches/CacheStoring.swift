// SPDX-License-Identifier: MIT
/// A store of files by key, beside or below the memory of a manager: originals, variants and files.
///
/// ``DiskCache`` is the one of this package. A shared store, such as a server that several machines use, implements the
/// same contract:
///
/// - Trouble is a miss. A store that cannot read returns `nil`, and one that cannot write returns
///   ``StoreOutcome/notStored(_:)``, with the code `.storeFailed` for a reason that has no code of its own. A load
///   continues without the store, so the only error that a method throws is `CancellationError`.
/// - A reader gets a whole entry with the bytes that were stored, or none. A store that cannot trust its medium
///   verifies the bytes.
/// - ``store(_:for:)`` replaces an earlier entry. A reader that asks after it has returned finds the new entry, or
///   none.
/// - A store fills in ``EntryMetadata/storedAt`` and ``EntryMetadata/generation`` when it stores an entry, and returns
///   them with it.
/// - Keys are opaque and may have any length. Two keys are equal when their UTF-8 bytes are equal. Programs that share
///   a store share its entries, so a store for several tenants puts the tenant into the names that it uses.
/// - Methods may be called at the same time, for one key, too. They suspend and do not block.
///
/// Only ``entry(for:)``, ``store(_:for:)``, ``renew(_:ifContentIs:_:)``, ``remove(_:)``, ``removeAll()`` and
/// ``shutdown(within:)`` must be implemented.
public protocol CacheStoring: Sendable {
    /// The stores that this one passes entries on to.
    ///
    /// A store that stands before another one names it, so that a manager finds what only that one can do: the leases
    /// of a `SharedCache`, the figures of a ``DiskCache``. The default implementation names none.
    var innerStores: [any CacheStoring] { get }

    /// The entry stored for `key`; `nil` when there is none that may be used.
    ///
    /// - Throws: `CancellationError` only.
    func entry(for key: CacheKey) async throws -> DiskEntry?

    /// The entry stored for `key`, unless it was made from another content than `original` has now.
    ///
    /// The entry counts when it does not say what it was made from, or when no original is stored. An entry that does
    /// not count is removed.
    ///
    /// The default implementation asks for the entry and then for the metadata of the original.
    ///
    /// - Parameters:
    ///   - key: The key of a variant or a file.
    ///   - original: The key of the picture that it was made from.
    /// - Throws: `CancellationError` only.
    func entry(for key: CacheKey, madeFrom original: CacheKey) async throws -> DiskEntry?

    /// What is known about the entry stored for `key`; `nil` when there is none that may be used.
    ///
    /// The default implementation reads the whole entry.
    ///
    /// - Throws: `CancellationError` only.
    func metadata(for key: CacheKey) async throws -> EntryMetadata?

    /// Whether an entry that may be used is stored for `key`.
    ///
    /// The default implementation asks for its metadata.
    ///
    /// - Throws: `CancellationError` only.
    func contains(_ key: CacheKey) async throws -> Bool

    /// Stores an entry in place of an earlier one.
    ///
    /// - Returns: Whether the entry was stored, or why not.
    /// - Throws: `CancellationError` only, and then nothing was stored.
    func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome

    /// Changes what is known about a stored entry, and counts it as stored now. Its bytes stay.
    ///
    /// An origin that answers 304 confirms the stored bytes and sends new validators and times.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - generation: The content that is confirmed. An entry that has another content by now is left alone; `nil`
    ///     stands for any content.
    ///   - change: Changes the metadata. Must be quick; may be called more than once.
    /// - Returns: Whether the change was stored, or why not; `nil` when no entry with this content is stored.
    /// - Throws: `CancellationError` only, and then nothing was changed.
    @discardableResult
    func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome?

    /// Removes the entry stored for `key`.
    ///
    /// Does nothing when there is none, or when the store is in trouble.
    ///
    /// - Throws: `CancellationError` only.
    func remove(_ key: CacheKey) async throws

    /// Removes the entry of an original, and every entry that was made of it; see ``CacheKey/original``.
    ///
    /// The default implementation removes the entry of the original alone.
    ///
    /// - Throws: `CancellationError` only. Some entries may be removed by then.
    func removeAll(madeFrom original: CacheKey) async throws

    /// Removes every entry that was stored before the call.
    ///
    /// - Throws: `CancellationError` only. Some entries may be removed by then.
    func removeAll() async throws

    /// Refuses new operations, and waits for the running ones until the time is over.
    ///
    /// Later reads miss, and stores are refused. A second call returns the same report.
    ///
    /// **Cancellation**: ignored; the time limit ends the wait.
    ///
    /// - Parameter limit: How long the running operations may take. Negative values count as zero.
    func shutdown(within limit: Duration) async -> CacheShutdownReport
}

extension CacheStoring {
    /// None.
    public var innerStores: [any CacheStoring] { [] }

    /// This store, or the first one that it passes entries on to, as what it can do besides.
    func first<Part>(_ type: Part.Type) -> Part? {
        if let own = self as? Part { return own }
        for store in innerStores {
            if let found = store.first(type) { return found }
        }
        return nil
    }

    /// Asks for the entry and then for the metadata of the original.
    public func entry(for key: CacheKey, madeFrom original: CacheKey) async throws -> DiskEntry? {
        guard let entry = try await entry(for: key) else { return nil }
        guard let made = entry.metadata.madeFrom, let present = try await metadata(for: original)?.generation,
            made != present
        else { return entry }
        try await remove(key)
        return nil
    }

    /// Reads the whole entry.
    public func metadata(for key: CacheKey) async throws -> EntryMetadata? { try await entry(for: key)?.metadata }

    /// Removes the entry of the original.
    public func removeAll(madeFrom original: CacheKey) async throws { try await remove(original) }

    /// Asks for the metadata.
    public func contains(_ key: CacheKey) async throws -> Bool { try await metadata(for: key) != nil }

    /// Changes what is known about a stored entry, whatever its content, and counts it as stored now.
    @discardableResult
    public func renew(
        _ key: CacheKey, _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        try await renew(key, ifContentIs: nil, change)
    }
}

/// The result of the shutdown of a store.
public struct CacheShutdownReport: Sendable, Equatable {
    /// Operations that ran when the shutdown began, and ended.
    public var completedOperations: Int
    /// Operations that still ran when the time was over.
    ///
    /// They may still finish. What they were writing is kept as a whole or not at all.
    public var abandonedOperations: Int

    /// Creates a report.
    public init(completedOperations: Int, abandonedOperations: Int) {
        self.completedOperations = completedOperations
        self.abandonedOperations = abandonedOperations
    }
}
