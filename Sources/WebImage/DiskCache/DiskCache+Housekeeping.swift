internal import TaskCoordination

extension DiskCache {
    /// Starts the housekeeper, unless it is at work or the cache is shut down.
    func keepHouse() {
        guard housekeeper == nil, life.isOpen else { return }
        // Unstructured because it outlives the operation that starts it; `housekeeper` owns it, and a shutdown awaits it.
        housekeeper = Task(executorPreference: executor, priority: .utility) { await self.houseWork() }
    }

    /// Lists the folder once, then corrects and trims until nothing is left to do.
    private func houseWork() async {
        if !isIndexed { await buildIndex() }
        while life.isOpen, !Task.isCancelled {
            if let digest = doubtful.popFirst() {
                await look(at: digest)
            } else if index.totalBytes > trimStart {
                guard await trimToEnd() else { break }
            } else {
                break
            }
        }
        housekeeper = nil
        checkDrained()
    }

    private func trimToEnd() async -> Bool {
        while life.isOpen, !Task.isCancelled, index.totalBytes > trimEnd {
            if await trimSlice(toFree: index.totalBytes - trimEnd) == 0 { return false }
        }
        return true
    }

    /// Waits until the folder was listed, which may never be when the cache is shut down before.
    func waitForIndex() async {
        keepHouse()
        guard !isIndexed, housekeeper != nil else { return }
        let place = OneShot<Void>()
        indexWaiters.append(place)
        await place.wait(onCancel: ())
    }

    /// Notes every file in the folder: names and sizes, in slices, while the cache is in use.
    private func buildIndex() async {
        let files = self.files
        counters.abandonedFiles += (try? await perform { files.removeAbandonedFiles() }) ?? 0
        // One that is made later belongs to a store, which notes it.
        let folders = (try? await perform { files.presentFolders() }) ?? []
        for names in folders.slices(of: 8) where life.isOpen && !Task.isCancelled {
            changedDuringListing = []
            for file in await list(names) where !changedDuringListing.contains(file.digest) {
                // A date in the future would keep an entry for ever.
                let storedAt = min(file.modifiedAt, now)
                let usedAt = max(storedAt, Int64(index[file.digest]?.usedAt ?? 0))
                index.set(file.digest, size: file.size, storedAt: storedAt, usedAt: usedAt)
            }
        }
        changedDuringListing = []
        isIndexed = life.isOpen && !Task.isCancelled
        let waiters = indexWaiters
        indexWaiters = []
        for waiter in waiters { waiter.resolve(()) }
    }

    /// The files in some of the entry folders; a folder that cannot be listed is passed over, with a warning.
    func list(_ names: [String]) async -> [EntryFiles.Listed] {
        let files = self.files
        let outcome = try? await perform {
            var listed: [EntryFiles.Listed] = []
            var failure: SystemFailure?
            for name in names {
                do throws(SystemFailure) { listed += try files.list(name) } catch { failure = error }
            }
            return (listed, failure)
        }
        if let failure = outcome?.1 { warn(CacheError(failure, path: files.folder), during: .reading) }
        return outcome?.0 ?? []
    }

    /// Corrects the index for one key.
    private func look(at digest: KeyDigest) async {
        guard (try? await takeTurn(digest)) != nil else { return }
        defer { passTurn(digest) }
        let files = self.files
        let result = try? await perform { Result { () throws(SystemFailure) in try files.look(at: digest) } }
        settle(digest, result, during: .reading)
    }
}
