// SPDX-License-Identifier: MIT
/// The account of a folder: one file that all caches on it share, in all processes.
///
/// Its lock is the right to trim. Its size, in units, is what all caches together have stored. The system appends in
/// one step, so the sum needs no lock. The contents of the file are never read.
extension EntryFiles {
    private static let accountName = "account"

    /// Adds to the account.
    ///
    /// - Parameter units: 0 only reads the account.
    /// - Returns: The units in the account afterwards.
    func addToAccount(_ units: Int) throws(SystemFailure) -> Int {
        let descriptor = try openAccount()
        defer { try? system.close(descriptor) }
        let present = try system.status(of: descriptor).size
        // A longer file was not made by these caches, and may be too long to append to.
        guard units > 0, present < SharedAccount.highestUnits else { return present }
        try system.write([UInt8](repeating: 0, count: units), to: descriptor)
        return try system.status(of: descriptor).size
    }

    /// Takes the right to trim, which lasts until the descriptor is closed.
    ///
    /// - Returns: `nil` when another cache has it.
    func lockAccount() throws(SystemFailure) -> FileSystem.Descriptor? {
        let descriptor = try openAccount()
        do throws(SystemFailure) {
            if try system.lock(descriptor) { return descriptor }
        } catch {
            try? system.close(descriptor)
            throw error
        }
        try? system.close(descriptor)
        return nil
    }

    /// Begins a new account. Only the cache that has the right to trim may call it.
    ///
    /// - Returns: The units that were in it.
    func emptyAccount() throws(SystemFailure) -> Int {
        let descriptor = try openAccount()
        defer { try? system.close(descriptor) }
        let units = try system.status(of: descriptor).size
        try system.empty(descriptor)
        return units
    }

    /// Whether the file system has this much left after a file of `byteCount` bytes, as far as it tells.
    ///
    /// - Parameter free: 0, and less, stand for no such limit.
    func hasRoom(for byteCount: Int, leaving free: Int) -> Bool {
        guard free > 0, let left = try? system.freeByteCount(folder) else { return true }
        return left - byteCount >= free
    }

    /// Opens the account. Anything else in its place than a file is removed.
    private func openAccount() throws(SystemFailure) -> FileSystem.Descriptor {
        try inRoot { root throws(SystemFailure) in
            do throws(SystemFailure) {
                let descriptor = try system.openForAppending(Self.accountName, in: root)
                if (try? system.status(of: descriptor))?.isRegularFile == true { return descriptor }
                try? system.close(descriptor)
            } catch {
                guard error.isAboutKind else { throw error }
            }
            try unlink(Self.accountName, in: root)
            return try system.openForAppending(Self.accountName, in: root)
        }
    }
}
