#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension SystemFailure {
    /// The file, or a folder above it, is not there.
    var isNotFound: Bool { errno == ENOENT || errno == ENOTDIR }
    /// A link stands where a file was expected.
    var isLink: Bool { errno == ELOOP }
    /// A folder stands where a file was expected.
    ///
    /// POSIX says EPERM for unlinking one, Linux EISDIR.
    var isAboutFolder: Bool { errno == EISDIR || errno == EPERM }
    /// The name is taken.
    var isTaken: Bool { errno == EEXIST }
    /// No space, no file record or no quota is left.
    var isFull: Bool { errno == ENOSPC || errno == EDQUOT }
}
