// SPDX-License-Identifier: MIT
internal import TaskCoordination

extension DiskCache {
    /// Starts the maintenance task, unless it runs or the cache is shut down.
    func startMaintenance() {
        guard maintenance == nil, life.isOpen else { return }
        // Unstructured because it outlives the operation that starts it; `maintenance` owns it, and a shutdown awaits
        // it.
        maintenance = Task(executorPreference: executor, priority: .utility) { await self.maintain() }
    }

    /// Lists the folder once, then corrects and trims until nothing is left to do, or it is cancelled.
    private func maintain() async {
        if !isIndexed {
            await loadSnapshot()
            let (files, now) = (self.files, self.now)
            counters.abandonedFiles += (try? await perform { files.removeAbandonedFiles(now: now) }) ?? 0
            _ = await listFolder()
        }
        while !Task.isCancelled {
            if let digest = doubtful.popFirst() {
                await look(at: digest)
            } else if isIndexed, knownBytes > trimStart {
                guard await trimToEnd() else { break }
                // Other caches have left the trim to this one; it now sees what they stored meanwhile.
                await consultAccount(step: .max)
            } else if snapshot.isDue {
                snapshot.isDue = false
                await saveSnapshot()
            } else {
                break
            }
        }
        maintenance = nil
        checkDrained()
    }

    /// - Returns: `false` when nothing more can be done for now.
    private func trimToEnd() async -> Bool {
        guard await takeTrimRight() else { return false }
        defer { giveTrimRight() }
        if account.isStale {
            guard await listFolder() else { return false }
            guard knownBytes > trimStart else { return true }
        }
        var isDone = false
        // Other caches may have made room for what they store meanwhile; the next listing shows it.
        while !isDone, !Task.isCancelled, index.totalBytes > trimEnd {
            isDone = await trimSlice(toFree: index.totalBytes - trimEnd) == 0
        }
        await announceRemovals()
        await renewAccount()
        return !isDone || account.isStale
    }

    /// Waits until the folder was listed or the cache is shut down.
    func waitForIndex() async {
        adoptReads()
        startMaintenance()
        guard !isIndexed, maintenance != nil else { return }
        await waitForListing()
    }

    /// Waits until what reads have found to differ from the index is corrected.
    func correctIndex() async {
        while !doubtful.isEmpty, let maintenance { await maintenance.value }
    }

    private func waitForListing() async {
        let place = OneShot<Void>()
        indexWaiters.append(place)
        await place.wait(onCancel: ())
    }

    /// Updates the index from the folder: names and sizes, in slices, while the cache is in use.
    ///
    /// - Returns: Whether the whole folder was listed.
    func listFolder() async -> Bool {
        guard changedDuringListing == nil else {
            await waitForListing()
            return isIndexed
        }
        changedDuringListing = []
        await consultAccount(step: .max)
        account.beginListing()
        let files = self.files
        let present = try? await perform { files.presentFolders() }
        if let names = present ?? nil {
            index.forgetFolders(except: names, changed: changedDuringListing ?? [])
            for slice in names.slices(of: 8) where !Task.isCancelled {
                changedDuringListing = []
                let listed = await list(slice)
                await replace(listed)
                forgetSnapshot(of: Set(slice).subtracting(listed.map(\.name)))
            }
        }
        changedDuringListing = nil
        plannedVictims = []
        let isComplete = present ?? nil != nil && !Task.isCancelled
        if isComplete {
            (isIndexed, snapshot.changed) = (true, nil)
            reads.collect(upTo: 64)
        }
        startSweeping()
        let waiters = indexWaiters
        indexWaiters = []
        for waiter in waiters { waiter.resolve(()) }
        return isComplete
    }

    private func replace(_ folders: [(name: String, files: [EntryFiles.Listed])]) async {
        var replaced = 0
        for (name, files) in folders {
            guard let number = Int(name, radix: 16) else { continue }
            index.replace(folder: number, with: files, except: changedDuringListing ?? [])
            replaced += files.count
            if replaced >= Self.searchLength {
                replaced = 0
                await Task.yield()
            }
        }
    }

    /// The files in some of the entry folders; a folder that cannot be listed is left out, with a warning.
    func list(_ names: [String]) async -> [(name: String, files: [EntryFiles.Listed])] {
        let files = self.files
        let outcome = try? await perform {
            var listed: [(name: String, files: [EntryFiles.Listed])] = []
            var failed: (failure: SystemFailure, name: String)?
            for name in names {
                do throws(SystemFailure) { listed.append((name, try files.list(name))) } catch {
                    failed = (error, name)
                }
            }
            return (listed, failed)
        }
        guard let (listed, failed) = outcome ?? nil else { return [] }
        if let (failure, name) = failed {
            warn(CacheError(failure, path: "\(files.folder)/\(name)"), during: .reading)
        }
        return listed
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
