// SPDX-License-Identifier: MIT
import CCacheShims
import PlatformBasics

extension FileSystem {
    /// A file's kind, size, time and identity.
    package struct Status {
        package var isRegularFile: Bool
        package var size: Int
        /// Seconds since 1970.
        package var modifiedAt: Int64
        /// Seconds since 1970.
        package var accessedAt: Int64
        var device: UInt64
        /// The system may give it to another file as soon as this one is removed.
        var inode: UInt64
        /// Since 1970; tells two files with one inode number apart.
        package var changedAt: Duration
        /// Whether a folder has a name for the file, which may be open without one.
        var hasName = true
        /// The number of the user.
        var ownerID: UInt32 = 0
    }

    /// The space that this user may still take on the file system of a folder, in bytes.
    func freeByteCount(_ folder: String) throws(SystemFailure) -> Int {
        var status = statvfs()
        _ = try retry(.status) { unsafe statvfs(folder, &status) }
        let (bytes, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: status.f_frsize))
        return overflow ? .max : bytes
    }

    /// Whether an open file is on a file system of this machine: then its status is in memory and asks no server.
    func isLocal(_ descriptor: Descriptor) -> Bool {
        (try? retry(.status) { swi_is_local(descriptor.number) }) == 1
    }

    /// Notes a use of a file: its time of access. Its other times stay. Of a link itself, not of what it points to.
    ///
    /// - Parameter time: Seconds since 1970.
    package func setAccess(_ name: String, in folder: Descriptor, to time: Int64) throws(SystemFailure) {
        var times = [timespec(), timespec()]
        times[0].tv_sec = time_t(clamping: time)
        times[1].tv_nsec = omittedTime
        _ = try retry(.touch) { unsafe utimensat(folder.number, name, times, AT_SYMLINK_NOFOLLOW) }
    }

    /// Dates an open file: its times of use and of change.
    ///
    /// - Parameter time: Seconds since 1970.
    func setTimes(of descriptor: Descriptor, to time: Int64) throws(SystemFailure) {
        let moment = timespec(tv_sec: time_t(clamping: time), tv_nsec: 0)
        _ = try retry(.date) { unsafe futimens(descriptor.number, [moment, moment]) }
    }

    /// When a file was created, in seconds since 1970; `nil` where the file system does not keep it.
    package func creationTime(of name: String, in folder: Descriptor) -> Int64? {
        var seconds: Int64 = 0
        return (try? retry(.status) { unsafe swi_creation_time(folder.number, name, &seconds) }) == nil
            ? nil : seconds
    }

    /// An extended attribute of an open file; `nil` when it has none of this name, or it cannot be read.
    package func attribute(_ name: String, of descriptor: Descriptor) -> [UInt8]? {
        // The system's limit. The attribute may grow between the two calls: then the second one fails.
        guard let length = try? retry(.attribute, { Int32(unsafe swi_get_attribute(descriptor.number, name, nil, 0)) }),
            (1...65_536).contains(length)
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let count = unsafe bytes.withUnsafeMutableBytes { buffer in
            try? retry(.attribute) {
                Int32(unsafe swi_get_attribute(descriptor.number, name, buffer.baseAddress, buffer.count))
            }
        }
        guard let count else { return nil }
        bytes.removeLast(max(0, bytes.count - Int(count)))
        return bytes
    }

    /// Sets an extended attribute of an open file; `nil` removes it.
    package func setAttribute(_ name: String, of descriptor: Descriptor, to bytes: [UInt8]?) throws(SystemFailure) {
        _ = try retry(.attribute) {
            guard let bytes else { return unsafe swi_set_attribute(descriptor.number, name, nil, 0) }
            return unsafe bytes.withUnsafeBytes {
                unsafe swi_set_attribute(descriptor.number, name, $0.baseAddress, $0.count)
            }
        }
    }
}

/// - Source: Linux, `include/linux/stat.h`, UTIME_OMIT, which the module map leaves out.
private let omittedTime: Int = {
    #if canImport(Darwin)
    Int(UTIME_OMIT)
    #else
    (1 << 30) - 2
    #endif
}()

extension FileSystem.Status: Equatable {
    /// Whether both are of one file with one content. A file that was read in between is the same.
    package static func == (one: Self, other: Self) -> Bool {
        one.isRegularFile == other.isRegularFile && one.size == other.size && one.modifiedAt == other.modifiedAt
            && one.device == other.device && one.inode == other.inode && one.changedAt == other.changedAt
    }
}

extension FileSystem.Status {
    init(_ status: stat) {
        isRegularFile = status.st_mode & S_IFMT == S_IFREG
        size = Int(status.st_size)
        #if canImport(Darwin)
        modifiedAt = Int64(status.st_mtimespec.tv_sec)
        accessedAt = Int64(status.st_atimespec.tv_sec)
        changedAt = .seconds(status.st_ctimespec.tv_sec) + .nanoseconds(status.st_ctimespec.tv_nsec)
        #else
        modifiedAt = Int64(status.st_mtim.tv_sec)
        accessedAt = Int64(status.st_atim.tv_sec)
        changedAt = .seconds(status.st_ctim.tv_sec) + .nanoseconds(status.st_ctim.tv_nsec)
        #endif
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        hasName = status.st_nlink > 0
        ownerID = status.st_uid
    }
}
