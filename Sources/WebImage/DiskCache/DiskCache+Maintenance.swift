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
                await consultAccount()
            } else {
                break
            }
        }
        maintenance = nil
        checkDrained()
    }

    /// Trims, unless another cache has the right to.
    ///
    /// That cache reads the account after it has given the right back, so it sees what this one has stored.
    ///
    /// - Returns: `false` when nothing more can be done for now.
    private func trimToEnd() async -> Bool {
        let outcome = try? await attempt { files throws(SystemFailure) in try files.lockAccount() }
        let lock: FileSystem.Descriptor?
        switch outcome {
        case .success(let taken?): lock = taken
        // Without locks two caches may trim the folder at once, which costs entries and nothing else.
        case .failure: lock = nil
        case .success(nil), nil: return false
        }
        defer { if let lock { try? files.system.close(lock) } }
        if foreign.hasChanged {
            guard await listFolder() else { return false }
            guard knownBytes > trimStart else { return true }
        }
        var isDone = false
        // Other caches may have made room for what they store meanwhile; the next listing shows it.
        while !isDone, !Task.isCancelled, index.totalBytes > trimEnd {
            isDone = await trimSlice(toFree: index.totalBytes - trimEnd) == 0
        }
        await announceRemovals()
        return !isDone || foreign.hasChanged
    }

    // MARK: - The other caches

    /// Learns what the other caches have done, and tells them that this one has changed the folder.
    ///
    /// - Parameter byteCount: 0 tells them nothing.
    func consultAccount(adding byteCount: Int = 0) async {
        let account = self.account
        if let found = try? await perform({ account.add(byteCount) }) { learn(found) }
    }

    /// Tells the other caches that files were removed, so that they list the folder before they trim.
    func announceRemovals() async { await consultAccount(adding: FolderAccount.unit) }

    /// Notes what other caches have done.
    func learn(_ found: FolderAccount.Foreign) {
        foreign.add(found)
        if knownBytes > trimStart { startMaintenance() }
    }

    // MARK: - The listing

    /// Waits until the folder was listed or the cache is shut down.
    func waitForIndex() async {
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
        let (files, account) = (self.files, self.account)
        // What is stored after the look at the account is seen by the next one. What was stored before is listed.
        let present = try? await perform {
            _ = account.add()
            return files.presentFolders()
        }
        foreign = .init()
        var isWhole = present != nil
        if let present {
            index.forgetFolders(except: present, changed: changedDuringListing ?? [])
            for slice in present.slices(of: 8) where !Task.isCancelled {
                changedDuringListing = []
                let listed = await list(slice)
                isWhole = isWhole && listed.count == slice.count
                for (name, files) in listed {
                    guard let number = Int(name, radix: 16) else { continue }
                    index.replace(folder: number, with: files, except: changedDuringListing ?? [])
                    // A folder may have thousands of files.
                    await Task.yield()
                }
            }
        }
        changedDuringListing = nil
        plannedVictims = []
        let isComplete = present != nil && !Task.isCancelled
        if isComplete { isIndexed = true }
        if !isWhole || !isComplete { foreign.hasChanged = true }
        startSweeping()
        let waiters = indexWaiters
        indexWaiters = []
        waiters.resume()
        return isComplete
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
        _ = try? await inTurn(of: digest, during: .reading) { files throws(SystemFailure) in try files.look(at: digest)
        }
    }

    // MARK: - The sweep: entries that are too old go by a clock, whether they are asked for or not

    /// Starts the sweep, unless it runs, is switched off, or nothing is stored. It ends when nothing is left.
    func startSweeping() {
        guard sweeper == nil, configuration.sweepInterval > .zero, index.count > 0, life.isOpen else { return }
        let interval = configuration.sweepInterval
        sweeper = PacedTask("sweep", on: executor, priority: .utility, clock: configuration.clock, after: interval) {
            [weak self] in await self?.sweep() == true ? interval : nil
        }
    }

    /// - Returns: Whether anything is left to sweep later.
    private func sweep() async -> Bool {
        _ = try? await removeExpired()
        if foreign.hasChanged, isIndexed, (try? begin()) == true {
            _ = await listFolder()
            end()
        }
        if index.count > 0, life.isOpen { return true }
        sweeper = nil
        return false
    }

    /// Removes the entries that are too old or from the future.
    ///
    /// The cache also does it by its clock; see ``Configuration/sweepInterval``. Waits until the folder was listed
    /// once.
    ///
    /// - Returns: The number of entries removed.
    /// - Throws: `CancellationError` between slices.
    @discardableResult
    public func removeExpired() async throws -> Int {
        guard try begin() else { return 0 }
        defer { end() }
        await waitForIndex()
        var count = 0
        for folder in EntryFiles.entryFolders.indices {
            for slice in index.expired(folder: folder, lifetime).slices(of: Self.sliceLength) {
                try Task.checkCancellation()
                let removed = await removeIfUnchanged(await tooOld(slice))
                count += removed
                counters.expirations += removed
            }
            // A folder at a time, so that other operations have their turn between.
            await Task.yield()
        }
        if count > 0 { await announceRemovals() }
        return count
    }

    /// Looks at the files of entries that are too old by the index, and corrects it for those that count. The index does
    /// not know the age of an entry after a listing, nor what another process has stored or used since.
    ///
    /// - Returns: The entries that do not count by their files. One that cannot be looked at may count.
    private func tooOld(_ victims: [DiskIndex.Victim]) async -> [DiskIndex.Victim] {
        let (files, lifetime, limit) = (files, lifetime, fileSizeLimit)
        let looked = try? await perform {
            victims.map { victim in
                let found = Result { () throws(SystemFailure) in
                    try files.present(victim.digest, lifetime, fileSizeLimit: limit)
                }
                return (victim, found)
            }
        }
        var old: [DiskIndex.Victim] = []
        for (victim, found) in looked ?? [] {
            switch found {
            case .success((let metadata, let status)?):
                guard index[victim.digest] == victim.record else { continue }
                index.set(
                    victim.digest, size: status.size, storedAt: status.modifiedAt, usedAt: status.accessedAt, metadata)
            case .success(nil): old.append(victim)
            case .failure(let failure): warn(CacheError(failure, path: files.path(of: victim.digest)), during: .reading)
            }
        }
        return old
    }
}
