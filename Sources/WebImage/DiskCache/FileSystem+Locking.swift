// SPDX-License-Identifier: MIT
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
    /// Locks an open file against every other opening of it, in all processes, until its last descriptor is closed.
    ///
    /// - Returns: `false` when another opening holds the lock; nothing waits.
    /// - Throws: When the file system has no locks, or the call fails.
    func lock(_ descriptor: Descriptor) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            _ = try retry(.lock) { flock(descriptor.number, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            guard error.errno == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// A second descriptor of the same opening, which keeps its lock.
    func duplicate(_ descriptor: Descriptor) throws(SystemFailure) -> Descriptor {
        Descriptor(number: try retry(.duplicate) { fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0) })
    }

    /// Empties an open file.
    func empty(_ descriptor: Descriptor) throws(SystemFailure) {
        _ = try retry(.write) { ftruncate(descriptor.number, 0) }
    }

    /// Whether a part of the file takes no space on the device, because it was never written.
    ///
    /// `false` where the file system cannot tell. The file offset is at the beginning afterwards.
    func hasHole(_ descriptor: Descriptor, size: Int) -> Bool {
        let place = lseek(descriptor.number, 0, seekHole)
        _ = lseek(descriptor.number, 0, SEEK_SET)
        return place >= 0 && place < size
    }
}

/// - Source: Linux, `include/uapi/linux/fs.h`, SEEK_HOLE, which the module map leaves out.
private let seekHole: Int32 = {
    #if canImport(Darwin)
    SEEK_HOLE
    #else
    4
    #endif
}()
