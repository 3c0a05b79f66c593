#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
    /// A file's kind, size, time and identity.
    struct Status: Equatable {
        var isRegularFile: Bool
        var size: Int
        /// Seconds since 1970.
        var modifiedAt: Int64
        var device: UInt64
        /// The system may give it to another file as soon as this one is removed.
        var inode: UInt64
        /// Seconds and nanoseconds; tells two files with one inode number apart.
        var changedAt: Moment
    }

    /// A time since 1970, as the file system keeps it.
    struct Moment: Equatable {
        var seconds: Int
        var nanoseconds: Int
    }
}

extension FileSystem.Status {
    init(_ status: stat) {
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        #if canImport(Darwin)
        modifiedAt = Int64(status.st_mtimespec.tv_sec)
        changedAt = FileSystem.Moment(seconds: status.st_ctimespec.tv_sec, nanoseconds: status.st_ctimespec.tv_nsec)
        #else
        modifiedAt = Int64(status.st_mtim.tv_sec)
        changedAt = FileSystem.Moment(seconds: status.st_ctim.tv_sec, nanoseconds: status.st_ctim.tv_nsec)
        #endif
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
    }
}
