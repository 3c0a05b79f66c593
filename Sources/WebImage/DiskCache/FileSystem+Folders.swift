// SPDX-License-Identifier: MIT
import PlatformBasics

extension FileSystem {
    /// The names in a folder, without `.` and `..`, in no particular order.
    ///
    /// Names that are not UTF-8 are left out.
    ///
    /// - Complexity: O(number of names).
    package func names(in folder: Descriptor) throws(SystemFailure) -> [String] {
        // The stream closes its descriptor, so it has one of its own.
        let number = try retry(.list) { unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard let folder = unsafe fdopendir(number) else {
            let failure = SystemFailure(call: .list, errno: errno)
            try? close(Descriptor(number: number))
            throw failure
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let record = unsafe readdir(folder) else {
                if errno != 0 { throw SystemFailure(call: .list, errno: errno) }
                return names
            }
            // The name ends with a zero byte inside the record, which may be beyond the declared array.
            let name = unsafe withUnsafePointer(to: &record.pointee.d_name) { pointer in
                unsafe String(validatingCString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
    }

    /// Runs `body` on a folder, so that files in it can be opened by name.
    ///
    /// - Parameters:
    ///   - mayBeLink: Whether a link in the last component is followed.
    ///   - isMade: Whether the folder is created when it is missing.
    package func inFolder<Outcome>(
        _ path: String, mayBeLink: Bool = false, isMade: Bool = false,
        _ body: (Descriptor) throws(SystemFailure) -> Outcome
    ) throws(SystemFailure) -> Outcome {
        let folder: Descriptor
        do throws(SystemFailure) {
            folder = try openFolder(path, mayBeLink: mayBeLink)
        } catch {
            guard isMade, error.isNotFound else { throw error }
            try makeFolders(path)
            folder = try openFolder(path, mayBeLink: mayBeLink)
        }
        defer { try? close(folder) }
        return try body(folder)
    }

    /// Creates a folder and the missing ones above it.
    package func makeFolders(_ path: String) throws(SystemFailure) {
        do throws(SystemFailure) {
            try makeFolder(path)
        } catch {
            guard error.errno == ENOENT, let parent = Self.parent(of: path) else { throw error }
            try makeFolders(parent)
            try makeFolder(path)
        }
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }
}

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
    package func hasHole(_ descriptor: Descriptor, size: Int) -> Bool {
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
