/// The files of one cache folder.
///
/// Every method blocks.
///
/// ```
/// <folder>/tmp/<pid>-<token>-<n>   files being written
/// <folder>/ab/<32 digits>          entries, by the last byte of their digest
/// ```
/// An entry's file is complete when it has its name, and never changes afterwards: it is written elsewhere on the same
/// file system and renamed. So readers and writers need no lock, in this process or between processes. After a power
/// cut a file may have its name without its bytes; lengths and checksums make such a file a miss.
struct EntryFiles: Sendable {
    /// The cache's folder, without a slash at the end.
    let folder: String
    /// Whether a store waits until the bytes are on the device.
    let isSynced: Bool
    var system = FileSystem()

    /// The folder of files being written.
    var temporaryFolder: String { folder + "/tmp" }

    /// The 256 folders of entries.
    static let entryFolders = (0..<256).map { KeyDigest(high: 0, low: UInt64($0)).folder }

    func path(of digest: KeyDigest) -> String {
        folder + digest.pathInCache
    }

    /// Removes whatever stands where an entry's file belongs.
    ///
    /// Gone already is fine.
    func remove(_ digest: KeyDigest) throws(SystemFailure) {
        let path = path(of: digest)
        do throws(SystemFailure) {
            try system.unlink(path)
        } catch {
            if error.isNotFound { return }
            guard error.isAboutFolder, (try? system.unlink(path, isFolder: true)) != nil else { throw error }
        }
    }

    /// Removes an entry's file if it still is the one that was found wanting; its successor stays.
    ///
    /// - Parameter status: What was found; `nil` stands for anything.
    /// - Returns: The file that stays.
    func remove(_ digest: KeyDigest, onlyIf status: FileSystem.Status?) throws(SystemFailure) -> Listed? {
        if let status, let present = try self.status(of: digest), present != status {
            return Listed(digest: digest, size: present.size, modifiedAt: present.modifiedAt)
        }
        try remove(digest)
        return nil
    }

    /// An entry's file as it is now; `nil` when there is none.
    func look(at digest: KeyDigest) throws(SystemFailure) -> Listed? {
        guard let status = try status(of: digest), status.isRegularFile else { return nil }
        return Listed(digest: digest, size: status.size, modifiedAt: status.modifiedAt)
    }

    private func status(of digest: KeyDigest) throws(SystemFailure) -> FileSystem.Status? {
        do throws(SystemFailure) {
            return try system.status(ofPath: path(of: digest))
        } catch {
            if error.isNotFound { return nil }
            throw error
        }
    }
}
