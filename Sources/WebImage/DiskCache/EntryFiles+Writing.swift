// SPDX-License-Identifier: MIT
internal import Synchronization

extension EntryFiles {
    /// Writes an entry and gives it its name.
    ///
    /// A missing folder is created. When another program removes the file while it is written, it is written once more.
    /// When a call fails, the new file is removed and the earlier entry is unchanged.
    ///
    /// - Parameter storedAt: The date that the file gets, in seconds since 1970. A listing knows a file by it.
    /// - Returns: The size of the file.
    func write(
        front: [UInt8], body: [UInt8], as digest: KeyDigest, storedAt: Int64
    ) throws(SystemFailure) -> Int {
        do throws(SystemFailure) {
            try writeOnce(front, body, as: digest, storedAt)
        } catch {
            guard error.isNotFound else { throw error }
            try writeOnce(front, body, as: digest, storedAt)
        }
        return front.count + body.count
    }

    /// Whether a name in the temporary folder was given by a writer of another process.
    ///
    /// A process excludes its own files: where locks belong to processes, it would find them free.
    static func isTemporary(_ name: String) -> Bool {
        name.contains("-") && !name.hasPrefix(processToken + "-")
            && name.utf8.allSatisfy("0123456789abcdef-".utf8.contains)
    }

    /// Random, because processes in different containers have equal numbers.
    package static let processToken = String(UInt64.random(in: .min ... .max), radix: 16)
    private static let serialNumber = Atomic<UInt64>(0)

    /// A name that no other file has while it is written.
    package static func temporaryName() -> String {
        "\(processToken)-\(serialNumber.add(1, ordering: .relaxed).newValue)"
    }

    private func writeOnce(
        _ front: [UInt8], _ body: [UInt8], as digest: KeyDigest, _ storedAt: Int64
    ) throws(SystemFailure) {
        let name = Self.temporaryName()
        try inFolder(Self.temporaryFolderName, isMade: true) { temporary throws(SystemFailure) in
            let descriptor = try system.createFile(name, in: temporary)
            do throws(SystemFailure) {
                let lock = try fill(descriptor, front, body, storedAt)
                defer { try? system.close(lock) }
                try inFolder(digest.folder, isMade: true) { target throws(SystemFailure) in
                    try move(name, in: temporary, to: digest.fileName, in: target)
                }
            } catch {
                try? system.unlink(name, in: temporary)
                throw error
            }
        }
    }

    /// Locks, writes, dates and closes.
    ///
    /// The descriptor is closed in every case.
    ///
    /// - Returns: A second one, which holds the lock until the file has its name.
    private func fill(
        _ descriptor: FileSystem.Descriptor, _ front: [UInt8], _ body: [UInt8], _ storedAt: Int64
    ) throws(SystemFailure) -> FileSystem.Descriptor {
        let lock: FileSystem.Descriptor
        do throws(SystemFailure) {
            // Where there are no locks, age protects the file.
            _ = try? system.lock(descriptor)
            try system.write(front, then: body, to: descriptor)
            // The system's clock and the cache's nearly always agree. Where a file cannot be dated, a listing forgets
            // the entry's own end until the entry is read.
            if (try? system.status(of: descriptor))?.modifiedAt != storedAt {
                try? system.setTimes(of: descriptor, to: storedAt)
            }
            if isSynced { try system.synchronize(descriptor) }
            lock = try system.duplicate(descriptor)
        } catch {
            try? system.close(descriptor)
            throw error
        }
        do throws(SystemFailure) {
            // Network file systems report a failed write here.
            try system.close(descriptor)
        } catch {
            try? system.close(lock)
            throw error
        }
        return lock
    }

    private func move(
        _ name: String, in temporary: FileSystem.Descriptor, to target: String, in folder: FileSystem.Descriptor
    ) throws(SystemFailure) {
        do throws(SystemFailure) {
            try system.rename(name, in: temporary, to: target, in: folder)
        } catch {
            guard error.isAboutFolder, (try? system.unlink(target, in: folder, isFolder: true)) != nil else {
                throw error
            }
            try system.rename(name, in: temporary, to: target, in: folder)
        }
    }
}
