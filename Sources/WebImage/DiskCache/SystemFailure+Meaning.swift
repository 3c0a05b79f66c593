#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension SystemFailure {
    /// The file, or a folder above it, is not there.
    var isNotFound: Bool { errno == ENOENT }
    /// A link stands where a file was expected.
    var isLink: Bool { errno == ELOOP }
    /// A folder stands where a file was expected.
    ///
    /// POSIX says EPERM for unlinking one, Linux EISDIR.
    var isAboutFolder: Bool { errno == EISDIR || errno == EPERM }
    /// Something that is no file stands where one was to be opened: a link, a folder, or a pipe that nothing reads.
    var isAboutKind: Bool { errno == ELOOP || errno == EISDIR || errno == ENXIO }
    /// No space, no file record or no quota is left.
    var isFull: Bool { errno == ENOSPC || errno == EDQUOT }
}
