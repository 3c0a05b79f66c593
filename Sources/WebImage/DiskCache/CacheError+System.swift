// SPDX-License-Identifier: MIT
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension CacheError {
    /// Creates an error from a failed system call.
    init(_ failure: SystemFailure, path: String) {
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

/// Lets one warning pass for each kind of failure, until operations of that sort succeed again.
struct WarningGate {
    /// The sort of operation.
    enum Sort: Hashable {
        case reading, writing, removing
    }

    private var reported: [Sort: Set<CacheError.Code>] = [:]
    /// The last failure of each sort since an operation of that sort, or a store, succeeded.
    private(set) var failures: [Sort: CacheError] = [:]

    /// Whether this kind of failure is new.
    mutating func shouldReport(_ error: CacheError, during sort: Sort) -> Bool {
        failures[sort] = error
        return reported[sort, default: []].insert(error.code).inserted
    }

    /// Notes that an operation of this sort succeeded.
    mutating func recover(_ sort: Sort) {
        if reported[sort] != nil { reported[sort] = nil }
        if !failures.isEmpty { failures = failures.filter { $0.key != sort && sort != .writing } }
    }
}
