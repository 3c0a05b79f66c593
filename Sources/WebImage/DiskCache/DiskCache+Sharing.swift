// SPDX-License-Identifier: MIT
/// How the caches on one folder, in any number of processes, share one limit.
extension DiskCache {
    /// The right to trim the folder. One cache has it at a time.
    struct TrimRight {
        /// Holds the account's lock; `nil` where the file system has none.
        var lock: FileSystem.Descriptor?
        /// The running trims of this cache.
        var users = 0
    }

    /// Announces what this cache is about to store to the other caches, in steps of a thousandth of the limit.
    func announce(_ byteCount: Int) async {
        account.add(bytes: byteCount)
        let step = max(SharedAccount.unit, maximumByteCount / 1024)
        if account.unreportedBytes >= step { await consultAccount(step: step) }
    }

    /// Announces that this cache has removed files, so that the other caches list the folder before they trim.
    func announceRemovals() async {
        account.add(bytes: SharedAccount.unit)
        await consultAccount(step: 0)
    }

    /// Adds what this cache has stored to the account, and reads what the other caches have added.
    ///
    /// One step at a time: this cache could not tell its own addition from those of others during its step.
    ///
    /// - Parameter step: Smaller sums are not added yet.
    func consultAccount(step: Int) async {
        guard !account.isBusy else {
            account.isWanted = true
            return
        }
        account.isBusy = true
        repeat {
            account.isWanted = false
            let (files, units) = (self.files, account.takeUnits(step: step))
            let size = try? await perform { try? files.addToAccount(units) }
            account.observe(size ?? nil, afterAdding: units)
        } while account.isWanted
        account.isBusy = false
        if knownBytes > trimStart { startMaintenance() }
    }

    /// Takes the right to trim. A call of ``giveTrimRight()`` must follow.
    ///
    /// - Returns: `false` when another cache trims. That cache reads the account after it has given the right back, so
    ///   it sees what this cache announced before.
    func takeTrimRight() async -> Bool {
        if trimRight.users == 0 {
            let files = self.files
            let outcome = try? await perform { Result { () throws(SystemFailure) in try files.lockAccount() } }
            switch outcome {
            case .success(let lock?)?: trimRight.lock = lock
            // Another cache holds the right, or an earlier trim of this one.
            case .success(nil)?: guard trimRight.users > 0 else { return false }
            // Without locks two caches may trim the folder at once, which costs entries and nothing else.
            case .failure?: break
            case nil: return false
            }
        }
        trimRight.users += 1
        return true
    }

    func giveTrimRight() {
        trimRight.users -= 1
        guard trimRight.users == 0, let lock = trimRight.lock else { return }
        trimRight.lock = nil
        try? files.system.close(lock)
    }

    /// Begins a new account when the folder has been filled several times. Only the holder of the right to trim may
    /// call it.
    func renewAccount() async {
        guard account.expectedUnits > max(4096, maximumByteCount / SharedAccount.unit * 4), !account.isBusy else {
            return
        }
        account.isBusy = true
        let files = self.files
        let size = try? await perform { try? files.emptyAccount() }
        if let size = size ?? nil {
            account.observe(size, afterAdding: 0)
            account.begin()
        }
        account.isBusy = false
    }
}
