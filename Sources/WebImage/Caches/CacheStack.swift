// SPDX-License-Identifier: MIT
/// Several stores used as one: a fast one before a shared one, or a new folder before an old one.
///
/// The order of the stores is their priority: the first is asked first. The stack owns its stores in one respect: its
/// shutdown shuts them down.
public struct CacheStack: CacheStoring {
    /// Which stores take part in an operation, and in which order.
    public enum Policy: Sendable, CaseIterable {
        /// One after the other, until one has an answer. A store, a removal and the like go to all of them.
        case inOrder
        /// All at once. The first answer counts, and the other look-ups are cancelled.
        case atOnce
        /// The first store alone.
        case firstOnly
        /// The last store alone.
        case lastOnly
    }

    /// The policies of a stack.
    public struct Policies: Sendable {
        /// For entries and metadata. Default: `.inOrder`.
        public var look = Policy.inOrder
        /// For new entries. Default: `.inOrder`, all stores.
        public var store = Policy.inOrder
        /// For the removal of a key. Default: `.atOnce`.
        public var remove = Policy.atOnce
        /// For the removal of everything. Default: `.atOnce`.
        public var clear = Policy.atOnce
        /// Whether an entry that a later store has is stored in the first, too. Default: `false`.
        ///
        /// Its age then counts from the look-up.
        public var copiesToFirst = false

        /// Creates policies with the defaults, which are SDWebImage's but for new entries: there they go to the first
        /// store alone, and what a load keeps is gone with it.
        public init() {}
    }

    private let stores: [any CacheStoring]
    private let policies: Policies

    /// Creates a stack. A stack without stores is empty and stores nothing.
    public init(_ stores: [any CacheStoring], policies: Policies = Policies()) {
        self.stores = stores
        self.policies = policies
    }

    /// The stores that new entries go to.
    public var innerStores: [any CacheStoring] { chosen(policies.store) }

    private func chosen(_ policy: Policy) -> [any CacheStoring] {
        switch policy {
        case .inOrder, .atOnce: stores
        case .firstOnly: Array(stores.prefix(1))
        case .lastOnly: Array(stores.suffix(1))
        }
    }

    // MARK: - Looking

    /// The entry of the first store that has one.
    public func entry(for key: CacheKey) async throws -> DiskEntry? {
        guard let (found, number) = try await first(policies.look, { try await $0.entry(for: key) }) else { return nil }
        if policies.copiesToFirst, number > 0, policies.look != .lastOnly {
            _ = try await stores[0].store(found, for: key)
        }
        return found
    }

    /// What the first store that has the entry knows about it.
    public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
        try await first(policies.look) { try await $0.metadata(for: key) }?.answer
    }

    /// Whether a store has the entry.
    public func contains(_ key: CacheKey) async throws -> Bool {
        try await first(policies.look) { try await $0.contains(key) ? true : nil } != nil
    }

    /// The first answer, and the number of the store among those that were asked.
    private func first<Answer: Sendable>(
        _ policy: Policy, _ ask: @escaping @Sendable (any CacheStoring) async throws -> Answer?
    ) async throws -> (answer: Answer, number: Int)? {
        guard policy == .atOnce else {
            for (number, store) in chosen(policy).enumerated() {
                if let answer = try await ask(store) { return (answer, number) }
            }
            return nil
        }
        return try await withThrowingTaskGroup(of: (answer: Answer, number: Int)?.self) { group in
            for (number, store) in stores.enumerated() {
                group.addTask { try await ask(store).map { ($0, number) } }
            }
            while let found = try await group.next() {
                guard let found else { continue }
                group.cancelAll()
                return found
            }
            return nil
        }
    }

    // MARK: - Changing

    /// - Returns: `.stored` when one of the stores has stored the entry, or else why the last did not.
    public func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
        let outcomes = try await all(policies.store) { try await $0.store(entry, for: key) }
        if let stored = outcomes.first(where: \.isStored) { return stored }
        return outcomes.last
            ?? .notStored(CacheError(code: .folderUnavailable, message: "The stack has no store. Give it one."))
    }

    /// Changes what is known about the entry in every store that has it.
    @discardableResult
    public func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        let outcomes = try await all(.inOrder) { try await $0.renew(key, ifContentIs: generation, change) }
            .compactMap { $0 }
        return outcomes.first(where: \.isStored) ?? outcomes.last
    }

    /// Removes the entry from the stores that the policy chooses.
    public func remove(_ key: CacheKey) async throws {
        _ = try await all(policies.remove) { try await $0.remove(key) }
    }

    /// Removes an original, and what was made of it, from the stores that the policy chooses.
    public func removeAll(madeFrom original: CacheKey) async throws {
        _ = try await all(policies.remove) { try await $0.removeAll(madeFrom: original) }
    }

    /// Removes everything from the stores that the policy chooses.
    public func removeAll() async throws {
        _ = try await all(policies.clear) { try await $0.removeAll() }
    }

    /// Shuts all stores down at once.
    public func shutdown(within limit: Duration) async -> CacheShutdownReport {
        let reports = await withTaskGroup(of: CacheShutdownReport.self) { group in
            for store in stores { group.addTask { await store.shutdown(within: limit) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        return CacheShutdownReport(
            completedOperations: reports.reduce(0) { $0 + $1.completedOperations },
            abandonedOperations: reports.reduce(0) { $0 + $1.abandonedOperations })
    }

    /// The answers of all chosen stores, in their order.
    private func all<Answer: Sendable>(
        _ policy: Policy, _ ask: @escaping @Sendable (any CacheStoring) async throws -> Answer
    ) async throws -> [Answer] {
        guard policy == .atOnce else {
            var answers: [Answer] = []
            for store in chosen(policy) { answers.append(try await ask(store)) }
            return answers
        }
        return try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for (number, store) in stores.enumerated() { group.addTask { (number, try await ask(store)) } }
            var answers: [(Int, Answer)] = []
            for try await answer in group { answers.append(answer) }
            return answers.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
