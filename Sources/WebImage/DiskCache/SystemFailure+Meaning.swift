#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension SystemFailure {
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
