// SPDX-License-Identifier: MIT
import PlatformBasics

/// A system call that failed.
package struct SystemFailure: Error, Hashable {
    var call: FileSystem.Call
    var errno: Int32
}

extension FileSystem {
    /// The system calls of the disk cache, as steps that a test can make fail.
    package enum Call: String, Sendable, CaseIterable {
        case open, status, read, write, synchronize, close, rename, unlink, makeFolder, list, lock, duplicate, date
        case touch, openInMemory, readInMemory, attribute
    }

    /// A fault that a test injects instead of, or before, the system call.
    package enum Fault: Sendable {
        /// The call fails with this error number and has no effect.
        case failure(Int32)
        /// A read or write moves at most this many bytes.
        case short(Int)
    }
}

extension SystemFailure {
    /// What a call fails with that would wait for a device and may not.
    static var wouldWait: SystemFailure { SystemFailure(call: .touch, errno: EAGAIN) }
    /// What a write without space fails with.
    static var full: SystemFailure { SystemFailure(call: .write, errno: ENOSPC) }

    /// The system, its file system or its filter of calls cannot tell what is in memory, or the file is another user's.
    var isAboutMemory: Bool { [ENOSYS, EOPNOTSUPP, EPERM, EINVAL, E2BIG].contains(errno) }

    /// The file, or a folder above it, does not exist.
    package var isNotFound: Bool { errno == ENOENT }
    /// What `step` returns; `nil` when it fails because something does not exist.
    package static func unlessNotFound<Outcome>(
        _ step: () throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome? {
        do throws(SystemFailure) {
            return try step()
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }
    /// There is a link in place of a file.
    var isLink: Bool { errno == ELOOP }
    /// There is a folder in place of a file.
    ///
    /// POSIX says EPERM for unlinking one, Linux EISDIR.
    package var isAboutFolder: Bool { errno == EISDIR || errno == EPERM }
    /// There is something else in place of a file: a link, a folder, or a pipe without a reader.
    package var isAboutKind: Bool { errno == ELOOP || errno == EISDIR || errno == ENXIO }
    /// No space, no file record or no quota is left.
    var isFull: Bool { errno == ENOSPC || errno == EDQUOT }
}

extension CacheError {
    /// Creates an error from a failed system call.
    package init(_ failure: SystemFailure, path: String) {
        let (code, advice) =
            failure.call == .rename && failure.isNotFound
            ? (.inputOutput, "Another program removes files from the cache folder while they are written. Stop it.")
            : Self.meaning(of: failure.errno)
        self.init(code: code, message: advice, path: path, errno: failure.errno, cause: failure)
    }

    private static func meaning(of errno: Int32) -> (Code, String) {
        switch errno {
        case ENOSPC, EDQUOT:
            (.diskFull, "The cache folder's file system is full. Free space, or lower the cache's size limit.")
        case EROFS:
            (.readOnly, "The cache folder is on a read-only file system. Mount it writable or use another folder.")
        case EACCES, EPERM:
            (.permissionDenied, "The cache folder may not be used by this user. Change its owner or its mode.")
        case ENOTDIR, ELOOP:
            (
                .folderUnavailable,
                "The place of a cache folder is taken by a link, which is not followed, or by a file. Remove it."
            )
        case ENOENT, EISDIR, ENOTEMPTY, ENAMETOOLONG:
            (.folderUnavailable, "The cache folder cannot be made, or something else stands in its place.")
        case EMFILE, ENFILE:
            (.tooManyOpenFiles, "No file descriptor is left. Raise the limit (ulimit -n) or use fewer threads.")
        case EFBIG:
            (.tooLarge, "The file system or the process's file size limit (ulimit -f) does not take the entry.")
        default:
            (.inputOutput, "The cache folder's device failed. Look into the system's log.")
        }
    }
}
