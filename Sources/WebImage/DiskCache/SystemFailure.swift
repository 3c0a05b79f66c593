// SPDX-License-Identifier: MIT
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A system call that failed.
struct SystemFailure: Error, Hashable {
    var call: FileSystem.Call
    var errno: Int32
}

extension FileSystem {
    /// The system calls of the disk cache, as steps that a test can make fail.
    enum Call: String, Sendable, CaseIterable {
        case open, status, read, write, synchronize, close, rename, unlink, makeFolder, list, lock, duplicate, date
        case touch, openInMemory, readInMemory, attribute
    }

    /// A fault that a test injects instead of, or before, the system call.
    enum Fault: Sendable {
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
    var isNotFound: Bool { errno == ENOENT }
    /// There is a link in place of a file.
    var isLink: Bool { errno == ELOOP }
    /// There is a folder in place of a file.
    ///
    /// POSIX says EPERM for unlinking one, Linux EISDIR.
    var isAboutFolder: Bool { errno == EISDIR || errno == EPERM }
    /// There is something else in place of a file: a link, a folder, or a pipe without a reader.
    var isAboutKind: Bool { errno == ELOOP || errno == EISDIR || errno == ENXIO }
    /// No space, no file record or no quota is left.
    var isFull: Bool { errno == ENOSPC || errno == EDQUOT }
}
