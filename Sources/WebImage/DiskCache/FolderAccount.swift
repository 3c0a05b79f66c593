// SPDX-License-Identifier: MIT
internal import Locks

/// The account of a folder: one file that all caches on it share, in all processes.
///
/// Its size, in units, is what all caches together have stored. A cache adds what it has stored once the entry has its
/// name, and before the store returns. So while the account has the size that a cache expects, no other cache has
/// stored anything since: its index knows every entry of the folder, and a miss asks no device. Another size says that
/// the index is behind, and how many bytes the others have stored. A process that ends between the name and the account
/// leaves an entry of a store that has not returned; the next listing finds it.
///
/// The system appends in one step, so the sum needs no lock. The contents of the file are never read. Its lock is the
/// right to trim. Any cache, or another program, may remove the file at any time: the file that a cache has open then
/// has no name any more, and the cache begins with the next one, and with an index that is behind.
///
/// **Isolation**: a lock. ``add(_:)`` blocks, and belongs on a thread of the cache; ``look()`` never waits.
final class FolderAccount: Sendable {
    /// Bytes for each unit of the account.
    static let unit = 1024

    /// What other caches have done since an earlier look.
    struct Foreign: Equatable {
        /// Bytes that they have stored, at most.
        var bytes = 0
        /// Whether they have changed the folder, or may have.
        var hasChanged = false

        mutating func add(_ other: Foreign) {
            bytes = min(bytes + other.bytes, 1 << 50)
            hasChanged = hasChanged || other.hasChanged
        }
    }

    struct State {
        var descriptor: FileSystem.Descriptor?
        /// Whether a look at it never waits.
        var isLocal = false
        /// The size when only this cache has changed the account since its last look; `nil` before the first.
        var expected: Int?
        /// Whether other caches may have changed the folder unseen, because the account was not open all the time.
        var isBehind = false
        /// Bytes that were stored here and are not added yet.
        var owed = 0

        /// Notes the size of the account after a step that has added so many units.
        mutating func observe(_ size: Int, adding units: Int = 0) -> Foreign {
            // Anyone may give the file any size; none of them makes the sums below trap.
            let size = min(max(size, 0), 1 << 50)
            let foreign = expected.map { max(0, size - $0 - units) } ?? 0
            defer { (expected, isBehind) = (size, false) }
            return Foreign(
                bytes: min(foreign, 1 << 40) * FolderAccount.unit,
                hasChanged: expected.map { $0 + units != size } ?? isBehind)
        }
    }

    private let files: EntryFiles
    /// A longer account is replaced by a new one.
    private let longest: Int
    private let state = Mutex(State())

    /// Creates the account of a folder; nothing is opened.
    ///
    /// - Parameter maximumByteCount: The limit of the cache. Each time that four times as much was stored, a new
    ///   account begins.
    init(_ files: EntryFiles, maximumByteCount: Int) {
        self.files = files
        longest = max(4096, maximumByteCount / Self.unit * 4)
    }

    deinit { close() }

    /// Adds what this cache has stored, and learns what the others have done. Creates a missing folder.
    ///
    /// In trouble the bytes are added by the next call. Until then other caches may miss what was stored.
    ///
    /// - Parameter byteCount: 0 only looks.
    func add(_ byteCount: Int = 0) -> Foreign {
        state.withLock { state in
            state.owed += byteCount
            // Again when the file has lost its name, or is too long.
            for _ in 0..<3 {
                guard let descriptor = open(&state) else { break }
                let units = (state.owed + Self.unit - 1) / Self.unit
                guard let size = append(units, to: descriptor, &state) else { continue }
                state.owed = 0
                return state.observe(size, adding: units)
            }
            return Foreign()
        }
    }

    /// What other caches have done since the last look; `nil` when that cannot be said now, or a server would be asked.
    func look() -> Foreign? {
        let foreign = state.withLockIfAvailable { state -> Foreign? in
            guard let descriptor = state.descriptor, state.isLocal,
                let status = try? files.system.status(of: descriptor),
                status.hasName
            else { return nil }
            return state.observe(status.size)
        }
        return foreign ?? nil
    }

    /// Closes the file; a later call opens it again.
    func close() { state.withLock { forget(&$0) } }

    /// Appends units, if the file has its name and is not too long; otherwise gives it up.
    ///
    /// - Returns: The size afterwards; `nil` when the account was given up.
    private func append(_ units: Int, to descriptor: FileSystem.Descriptor, _ state: inout State) -> Int? {
        do throws(SystemFailure) {
            if units > 0 { try files.system.write([UInt8](repeating: 0, count: units), to: descriptor) }
            let status = try files.system.status(of: descriptor)
            if status.hasName, status.size <= longest { return status.size }
            if status.hasName { try files.removeAccount() }
        } catch {
            // A part may have been written, or the file may be too long for its file system.
            try? files.removeAccount()
        }
        forget(&state)
        return nil
    }

    private func open(_ state: inout State) -> FileSystem.Descriptor? {
        if state.descriptor == nil, let descriptor = try? files.openAccount() {
            (state.descriptor, state.isLocal) = (descriptor, files.system.isLocal(descriptor))
        }
        if state.descriptor == nil { state.isBehind = true }
        return state.descriptor
    }

    private func forget(_ state: inout State) {
        if let descriptor = state.descriptor { try? files.system.close(descriptor) }
        (state.descriptor, state.expected, state.isBehind) = (nil, nil, true)
    }
}

extension EntryFiles {
    private static let accountName = "account"

    /// Opens the account. A missing folder is created, and anything else in its place than a file is removed.
    func openAccount() throws(SystemFailure) -> FileSystem.Descriptor {
        try inRoot(isMade: true) { root throws(SystemFailure) in try openAccount(in: root) }
    }

    private func openAccount(in root: FileSystem.Descriptor) throws(SystemFailure) -> FileSystem.Descriptor {
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

    fileprivate func removeAccount() throws(SystemFailure) {
        try inRoot { root throws(SystemFailure) in try unlink(Self.accountName, in: root) }
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

    /// Whether the file system has this much left after a file of `byteCount` bytes, as far as it tells.
    ///
    /// - Parameter free: 0, and less, stand for no such limit.
    func hasRoom(for byteCount: Int, leaving free: Int) -> Bool {
        guard free > 0, let left = try? system.freeByteCount(folder) else { return true }
        return left - byteCount >= free
    }
}
