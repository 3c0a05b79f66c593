/// How the caches on one folder, in any number of processes, keep one limit.
extension DiskCache {
    /// The right to trim the folder, which one cache has at a time.
    struct TrimRight {
        /// Holds the account's lock; `nil` where the file system has none.
        var lock: FileSystem.Descriptor?
        /// Trims of this cache under way.
        var users = 0
    }

    /// Tells the others what is about to be stored here, in steps of a thousandth of the limit.
    func announce(_ byteCount: Int) async {
        account.add(bytes: byteCount)
        let step = max(SharedAccount.unit, sizeLimit / 1024)
        if account.unreportedBytes >= step { await consultAccount(step: step) }
    }

    /// Tells the others that files were removed here, so that they look before they trim.
    func announceRemovals() async {
        account.add(bytes: SharedAccount.unit)
        await consultAccount(step: 0)
    }

    /// Adds what this cache has stored to the account, and sees what others have added.
    ///
    /// One step at a time: what the account moves by during a step of this cache could be its own doing.
    ///
    /// - Parameter step: Less than this is not added yet.
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
        if knownBytes > trimStart { keepHouse() }
    }

    /// Takes the right to trim; ``giveTrimRight()`` must follow.
    ///
    /// - Returns: `false` when another cache trims. It looks at the account after it has given the right back, and so
    ///   sees what this cache announced before it asked.
    func takeTrimRight() async -> Bool {
        if trimRight.users == 0 {
            let files = self.files
            let outcome = try? await perform { Result { () throws(SystemFailure) in try files.lockAccount() } }
            switch outcome {
            case .success(let lock?)?: trimRight.lock = lock
            // Held by another cache, or by a trim of this one that came first.
            case .success(nil)?: guard trimRight.users > 0 else { return false }
            // Without locks a folder may be trimmed by two at once, which costs entries and nothing else.
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

    /// Begins the account anew when the folder has been filled some times over; for the holder of the right to trim.
    func renewAccount() async {
        guard account.expectedUnits > max(4096, sizeLimit / SharedAccount.unit * 4), !account.isBusy else { return }
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
