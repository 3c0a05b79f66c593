// SPDX-License-Identifier: MIT
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

extension FileSystem {
    /// The names in a folder, without `.` and `..`, in no particular order.
    ///
    /// Names that are not UTF-8 are left out.
    ///
    /// - Complexity: O(number of names).
    func names(in folder: Descriptor) throws(SystemFailure) -> [String] {
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

    /// Creates a folder and the missing ones above it.
    func makeFolders(_ path: String) throws(SystemFailure) {
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
