// SPDX-License-Identifier: MIT
import CTransportShims
import TaskCoordination

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder whose files may be read.
struct FileRoot: Sendable {
    let path: String
    let names: [String]

    /// - Returns: `nil` unless the path is absolute.
    init?(_ path: String) {
        guard let names = Self.names(in: path) else { return nil }
        self.names = names
        self.path = path
    }

    /// The names in an absolute path; `nil` for a relative one, for `..` and for a zero byte.
    static func names(in path: String) -> [String]? {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else { return nil }
        let names = path.split(separator: "/").map(String.init).filter { $0 != "." }
        return names.contains("..") ? nil : names
    }
}

/// A regular file that is open for reading. Its descriptor is closed with the last reference.
///
/// Its methods block.
final class OpenFile: Sendable {
    static let chunkSize = 128 << 10

    private let descriptor: Int32
    let url: URL
    /// The length when the file was opened.
    let byteCount: Int
    /// Changes with the file: made of its number, its length and the time of its last change.
    let entityTag: String

    /// Opens a file below a root, one folder at a time, so that no link leads out of it.
    /// - Returns: `nil` when there is no such file.
    /// - Throws: `.fileNotAllowed` for a link and for what is no regular file or may not be read; `.transferFailed`.
    convenience init?(_ root: FileRoot, _ names: [String], url: URL) throws(HTTPError) {
        let folder = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        var descriptor = unsafe open(root.path, folder)
        for (index, name) in names.enumerated() where descriptor >= 0 {
            let parent = descriptor
            // Not blocking: opening a pipe would wait for a writer.
            let file = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
            descriptor = unsafe openat(parent, name, (index == names.count - 1 ? file : folder) | O_NOFOLLOW)
            let reason = errno
            close(parent)
            errno = reason
        }
        // A folder that is a link is "not a directory" to the system.
        guard descriptor >= 0 else {
            let reason = errno
            guard reason != ENOENT else { return nil }
            throw Self.failure(reason, url)
        }
        try self.init(descriptor, url)
    }

    /// Opens a file that the program has chosen, through links as well.
    /// - Throws: `.invalidRequest`.
    convenience init(path: String, url: URL) throws(HTTPError) {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        let reason = errno
        do throws(HTTPError) {
            guard descriptor >= 0, !path.utf8.contains(0) else { throw Self.failure(reason, url) }
            try self.init(descriptor, url)
        } catch {
            throw HTTPError(
                code: .invalidRequest, message: "The file of the content cannot be sent: \(error.message)", url: url,
                cause: error)
        }
    }

    /// Takes the descriptor, also when it throws.
    private init(_ descriptor: Int32, _ url: URL) throws(HTTPError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw HTTPError(code: .fileNotAllowed, message: "This is no regular file.", url: url)
        }
        self.descriptor = descriptor
        self.url = url
        byteCount = Int(status.st_size)
        #if canImport(Glibc)
        let time = status.st_mtim
        #else
        let time = status.st_mtimespec
        #endif
        let parts = [Int(status.st_ino), byteCount, Int(time.tv_sec), Int(time.tv_nsec)]
        entityTag = "\"" + parts.map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }

    deinit {
        close(descriptor)
    }

    /// Reads a chunk.
    /// - Returns: At most ``chunkSize`` bytes; empty at the end that the file had when it was opened.
    /// - Throws: `.truncatedBody` when the file has become shorter; `.transferFailed`.
    func read(from offset: Int) throws(HTTPError) -> [UInt8] {
        let wanted = min(Self.chunkSize, byteCount - offset)
        guard wanted > 0 else { return [] }
        var result = 0
        var reason: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { space, count in
            repeat {
                result = unsafe pread(descriptor, space.baseAddress, wanted, off_t(offset))
                reason = errno
            } while result < 0 && reason == EINTR
            count = max(0, result)
        }
        guard result >= 0 else { throw Self.failure(reason, url) }
        guard result > 0 else {
            throw HTTPError(
                code: .truncatedBody, message: "The file became shorter while it was read.", url: url, status: 200)
        }
        return bytes
    }

    private static func failure(_ reason: Int32, _ url: URL) -> HTTPError {
        let text = unsafe String(cString: strerror(reason))
        guard [ELOOP, ENOTDIR, EACCES, EPERM, ENXIO].contains(reason) else {
            return HTTPError(
                code: reason == EMFILE || reason == ENFILE ? .tooManyOpenFiles : .transferFailed,
                message: "The file cannot be read: \(text).", url: url)
        }
        return HTTPError(
            code: .fileNotAllowed,
            message: "The file may not be opened: \(text). Links are not followed; name the file that they lead to.",
            url: url)
    }
}

/// The chunks of a file, each read on a thread of the pool when the reader asks for it.
struct FileChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let file: OpenFile
    let pool: WorkerPool

    func makeAsyncIterator() -> Iterator { Iterator(file: file, pool: pool) }

    struct Iterator: AsyncIteratorProtocol {
        let file: OpenFile
        let pool: WorkerPool
        private var offset = 0

        init(file: OpenFile, pool: WorkerPool) {
            self.file = file
            self.pool = pool
        }

        mutating func next() async throws -> [UInt8]? {
            let start = offset
            let chunk = try await pool.runFileWork(at: file.url) { [file] in try file.read(from: start) }
            offset += chunk.count
            return chunk.isEmpty ? nil : chunk
        }
    }
}
