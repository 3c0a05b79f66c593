// SPDX-License-Identifier: MIT
/// The index is saved and loaded; ``IndexSnapshot`` says why, when and how.
extension DiskCache {
    /// What is known about the snapshot.
    struct SnapshotState {
        /// The snapshot was looked for; it is loaded once.
        var isSought = false
        /// The index has what the snapshot says.
        var isLoaded = false
        /// Keys that this process has changed and knows better; `nil` once the folder was listed.
        var changed: Set<KeyDigest>? = []
        /// The changes of the index that are saved.
        var savedChanges = 0
        /// The maintenance task shall save the index.
        var isDue = false
        /// The shutdown has time to save the index.
        var isDueAtEnd = false
    }

    /// A larger file is no snapshot, and an index that would become one is not saved.
    private var snapshotLimit: Int { MemoryBudget.processLimit / 16 }

    /// Whether the index knows the folder, and enough has changed.
    var isWorthSaving: Bool {
        let changes = index.changes &- snapshot.savedChanges
        return (isIndexed || snapshot.isLoaded) && changes > 0 && changes >= index.count / 256
            && index.count <= snapshotLimit / IndexSnapshot.recordLength
    }

    /// Fills the index from the snapshot, if there is one, part by part while the cache is in use.
    func loadSnapshot() async {
        guard !snapshot.isSought else { return }
        snapshot.isSought = true
        let (files, lifetime, limit) = (self.files, self.lifetime, snapshotLimit)
        let found = try? await perform { SnapshotReader(files, lifetime: lifetime, byteLimit: limit) }
        guard var reader = found ?? nil else { return }
        defer { reader.close() }
        while !Task.isCancelled {
            let current = reader
            let step = try? await perform {
                var reader = current
                let tables = reader.nextMegabyte()
                return (reader, tables)
            }
            guard let (next, tables) = step ?? nil else { return }
            reader = next
            guard let tables else {
                snapshot.isLoaded = reader.isAtEnd
                return
            }
            for table in tables { index.adopt(table, except: snapshot.changed ?? []) }
        }
    }

    /// Forgets what the snapshot says of folders that cannot be listed.
    func forgetSnapshot(of folders: some Sequence<String>) {
        guard let changed = snapshot.changed, !Task.isCancelled else { return }
        for number in folders.compactMap({ Int($0, radix: 16) }) {
            index.adopt(IndexTable(folder: number), except: changed)
        }
    }

    /// Saves the index, a megabyte at a time while the cache is in use.
    ///
    /// A failure is not reported: what is lost is the order of use since the last save, and stores and reads report a
    /// failing disk. When the task is cancelled, the earlier snapshot stays.
    func saveSnapshot() async {
        guard isWorthSaving else { return }
        let (files, folders, changes) = (self.files, index.folders, index.changes)
        let (lifetime, limit) = (self.lifetime, snapshotLimit)
        let begun = try? await perform {
            try? SnapshotWriter(files, folders, lifetime: lifetime, byteLimit: limit)
        }
        guard var writer = (begun ?? nil) ?? nil else { return }
        while true {
            let current = writer
            let step = try? await perform {
                var writer = current
                let isComplete = try? writer.advance()
                return (writer, isComplete)
            }
            // Here and not on a thread, because the threads take no work of a cancelled task: one file is removed.
            guard let (next, isComplete) = step ?? nil, let isComplete else { return writer.discard() }
            writer = next
            if isComplete { break }
        }
        snapshot.savedChanges = changes
    }

    /// Saves the index as the last work of the cache, if it is to be saved.
    ///
    /// - Returns: Whether something is saved now; ``checkDrained()`` follows.
    func saveAtEnd() -> Bool {
        guard snapshot.isDueAtEnd, isWorthSaving else { return false }
        snapshot.isDueAtEnd = false
        // Unstructured because the operation that ends last must not wait for it; `maintenance` owns it, and the
        // shutdown awaits it until its deadline.
        maintenance = Task(executorPreference: executor, priority: .utility) { await self.saveLast() }
        return true
    }

    private func saveLast() async {
        await saveSnapshot()
        maintenance = nil
        checkDrained()
    }
}
