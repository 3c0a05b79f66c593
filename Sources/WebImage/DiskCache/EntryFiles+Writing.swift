internal import Synchronization

extension EntryFiles {
    /// Writes an entry and gives it its name.
    ///
    /// A missing folder is made, once. When a call fails, the file begun is removed and what was stored under the digest
    /// before is untouched.
    ///
    /// - Returns: The size of the file.
    func write(front: [UInt8], body: [UInt8], as digest: KeyDigest) throws(SystemFailure) -> Int {
        let (temporary, descriptor) = try createTemporaryFile()
        do throws(SystemFailure) {
            try fill(descriptor, front: front, body: body)
            try move(temporary, to: digest)
        } catch {
            try? system.unlink(temporary)
            throw error
        }
        return front.count + body.count
    }

    /// Whether a name in the temporary folder is a file that no living writer owns.
    static func isAbandoned(_ name: String) -> Bool {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let process = Int32(parts[0]), process > 0 else { return false }
        // A number can come round again: in containers every process is number 1.
        if process == FileSystem.processNumber { return parts[1] != processToken }
        return !FileSystem.isProcessAlive(process)
    }

    private static let processToken = String(UInt64.random(in: .min ... .max), radix: 16)
    private static let serialNumber = Atomic<UInt64>(0)

    private func createTemporaryFile() throws(SystemFailure) -> (path: String, FileSystem.Descriptor) {
        let serial = Self.serialNumber.add(1, ordering: .relaxed).newValue
        let path = "\(temporaryFolder)/\(FileSystem.processNumber)-\(Self.processToken)-\(serial)"
        do throws(SystemFailure) {
            return (path, try system.createFile(path))
        } catch {
            guard error.isNotFound else { throw error }
            try system.makeFolders(temporaryFolder)
            return (path, try system.createFile(path))
        }
    }

    /// Writes and closes.
    ///
    /// The descriptor is closed whatever happens.
    private func fill(
        _ descriptor: FileSystem.Descriptor, front: [UInt8], body: [UInt8]
    ) throws(SystemFailure) {
        do throws(SystemFailure) {
            try system.write(front, to: descriptor)
            try system.write(body, to: descriptor)
            if isSynced { try system.synchronize(descriptor) }
        } catch {
            try? system.close(descriptor)
            throw error
        }
        // Network file systems report a failed write here.
        try system.close(descriptor)
    }

    private func move(_ temporary: String, to digest: KeyDigest) throws(SystemFailure) {
        let target = path(of: digest)
        do throws(SystemFailure) {
            try system.rename(temporary, to: target)
        } catch {
            if error.isNotFound {
                try system.makeFolders("\(folder)/\(digest.folder)")
            } else {
                guard error.isAboutFolder, (try? system.unlink(target, isFolder: true)) != nil else { throw error }
            }
            try system.rename(temporary, to: target)
        }
    }
}
