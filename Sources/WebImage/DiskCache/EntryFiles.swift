// SPDX-License-Identifier: MIT
/// The files of one cache folder.
///
/// Every method blocks; of ``inMemory``, the reads do not, and nothing else may be called.
///
/// ```
/// <folder>/tmp/<token>-<n>   files being written, each locked by its writer
/// <folder>/ab/<32 digits>    entries, by the last byte of their digest
/// <folder>/account           what all caches on the folder have stored; see ``FolderAccount``
/// ```
/// An entry's file is complete when it has its name, and never changes afterwards: it is written elsewhere on the same
/// file system and renamed. So readers and writers need no lock, in this process or between processes. After a power
/// cut a file may have its name without its bytes; lengths and checksums make such a file a miss.
///
/// The folder itself may be a link, because the caller chooses its path. A link in place of a folder below it is
/// refused: each folder is opened without following links, and files are opened relative to it.
///
/// A call has at most three descriptors open.
package struct EntryFiles: Sendable {
    /// The cache's folder, without a slash at the end.
    let folder: String
    /// Whether a store waits until the bytes are on the device.
    let isSynced: Bool
    var system = FileSystem()

    /// The name of the folder of files being written.
    static let temporaryFolderName = "tmp"

    /// The folder of files being written.
    var temporaryFolder: String { "\(folder)/\(Self.temporaryFolderName)" }

    /// The names of the 256 folders of entries, in the order of their number.
    static let entryFolders = (0..<256).map { number in
        (number < 16 ? "0" : "") + String(number, radix: 16)
    }

    func path(of digest: KeyDigest) -> String {
        digest.path(in: folder)
    }

    /// The same files, as far as the system has them in memory: a read that would wait for a device fails.
    var inMemory: EntryFiles {
        var files = self
        files.system.mayWait = false
        return files
    }

    /// Runs `body` on one of the folders in the cache's.
    ///
    /// - Parameter isMade: Whether the folder is created when it is missing.
    func inFolder<Outcome>(
        _ name: String, isMade: Bool = false, _ body: (FileSystem.Descriptor) throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome {
        try system.inFolder("\(folder)/\(name)", isMade: isMade, body)
    }

    /// Runs `body` on one of the folders in the cache's.
    ///
    /// - Returns: `nil` when the folder, or the file that `body` asks for, is missing.
    func inPresentFolder<Outcome>(
        _ name: String, _ body: (FileSystem.Descriptor) throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome? {
        try SystemFailure.unlessNotFound { () throws(SystemFailure) in try inFolder(name, body) }
    }

    /// Runs `body` on the cache's folder.
    ///
    /// - Parameter isMade: Whether the folder is created when it is missing.
    func inRoot<Outcome>(
        isMade: Bool = false, _ body: (FileSystem.Descriptor) throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome {
        try system.inFolder(folder, mayBeLink: true, isMade: isMade, body)
    }

    /// Removes an entry's file, or anything else in its place, if it is still the one with this status; a later file is
    /// kept.
    ///
    /// Does nothing when there is none.
    ///
    /// - Parameter status: The status found; `nil` stands for any.
    /// - Returns: The file that was kept.
    @discardableResult
    func remove(_ digest: KeyDigest, onlyIf status: FileSystem.Status? = nil) throws(SystemFailure) -> Listed? {
        let kept = try inPresentFolder(digest.folder) { folder throws(SystemFailure) -> Listed? in
            if let status {
                let present = try system.status(of: digest.fileName, in: folder)
                if present != status { return Listed(digest, present) }
            }
            try unlink(digest.fileName, in: folder)
            return nil
        }
        return kept ?? nil
    }

    /// Removes a file, or an empty folder in its place.
    func unlink(_ name: String, in folder: FileSystem.Descriptor) throws(SystemFailure) {
        do throws(SystemFailure) {
            try system.unlink(name, in: folder)
        } catch {
            guard error.isAboutFolder, (try? system.unlink(name, in: folder, isFolder: true)) != nil else {
                throw error
            }
        }
    }

    /// An entry's file as it is now; `nil` when there is none.
    func look(at digest: KeyDigest) throws(SystemFailure) -> Listed? {
        let status = try inPresentFolder(digest.folder) { folder throws(SystemFailure) in
            try system.status(of: digest.fileName, in: folder)
        }
        return status.flatMap { $0.isRegularFile ? Listed(digest, $0) : nil }
    }
}
