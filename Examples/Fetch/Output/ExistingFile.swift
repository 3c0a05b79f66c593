// SPDX-License-Identifier: MIT
import PlatformBasics

/// What is at a path, as a writer of a file needs to know it.
enum ExistingFile {
    case none
    /// A file with the same bytes.
    case same
    /// A file with other bytes, or a link that leads nowhere.
    case other
    /// A device or a pipe, which is written to and not replaced.
    case device

    /// - Throws: ``SystemError`` when the path cannot be looked at, and `EISDIR` for a folder.
    init(_ path: String, comparedWith bytes: [UInt8]) throws(SystemError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .last }
            self = unsafe lstat(path, &status) == 0 ? .other : .none
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw SystemError(number: EISDIR)
        case S_IFREG: self = try Self.holds(bytes, path, Int(status.st_size)) ? .same : .other
        default: self = .device
        }
    }

    private static func holds(_ bytes: [UInt8], _ path: String, _ size: Int) throws(SystemError) -> Bool {
        guard size == bytes.count else { return false }
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return try StandardStream(descriptor: descriptor).read(upTo: size) == bytes
    }
}
