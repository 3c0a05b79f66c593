// SPDX-License-Identifier: MIT
package import PlatformBasics
package import TaskCoordination

/// A regular file that is open for reading. Its descriptor is closed with the last reference.
///
/// Its methods block.
package final class OpenFile: Sendable {
    package static let chunkSize = 128 << 10

    private let descriptor: Int32
    package let url: URL
    /// The length when the file was opened.
    package let byteCount: Int
    /// Changes with the file: made of its number, its length and the time of its last change.
    package let entityTag: String

    /// Opens a file that the program has chosen, through links as well.
    /// - Throws: `.invalidRequest`.
    convenience init(path: String, url: URL) throws(HTTPError) {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        let reason = errno
        do throws(HTTPError) {
            guard descriptor >= 0, !path.utf8.contains(0) else { throw Self.failure(reason, url) }
            try self.init(descriptor, url)
        } catch {
            throw .invalidRequest("The file of the content cannot be sent: \(error.message)", at: url, cause: error)
        }
    }

    /// Takes the descriptor, also when it throws.
    package init(_ descriptor: Int32, _ url: URL) throws(HTTPError) {
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
        let parts = [Int(truncatingIfNeeded: status.st_ino), byteCount, Int(time.tv_sec), Int(time.tv_nsec)]
        entityTag = "\"" + parts.map { String($0, radix: 36) }.joined(separator: "-") + "\""
    }

    deinit {
        close(descriptor)
    }

    /// Reads a chunk.
    /// - Returns: At most ``chunkSize`` bytes; empty at the end that the file had when it was opened.
    /// - Throws: `.truncatedBody` when the file has become shorter; `.transferFailed`.
    package func read(from offset: Int) throws(HTTPError) -> [UInt8] {
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

    package static func failure(_ reason: Int32, _ url: URL) -> HTTPError {
        let text = unsafe String(cString: strerror(reason))
        guard [ELOOP, ENOTDIR, EACCES, EPERM, ENXIO].contains(reason) else {
            return HTTPError(
                code: reason == EMFILE || reason == ENFILE ? .tooManyOpenFiles : .transferFailed,
                message: "The file cannot be read: \(text).", url: url)
        }
        return HTTPError(
            code: .fileNotAllowed,
            message: "The file may not be opened: \(text).",
            advice: "Links are not followed; name the file that they lead to.",
            url: url)
    }
}

/// The chunks of a file, each read on a thread of the pool when the reader asks for it.
package struct FileChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private let file: OpenFile
    private let pool: WorkerPool
    private var offset = 0

    package init(file: OpenFile, pool: WorkerPool) {
        self.file = file
        self.pool = pool
    }

    package func makeAsyncIterator() -> FileChunks { self }

    package mutating func next() async throws -> [UInt8]? {
        let chunk = try await pool.runFileWork(at: file.url) { [file, offset] in try file.read(from: offset) }
        offset += chunk.count
        return chunk.isEmpty ? nil : chunk
    }
}

extension WorkerPool {
    /// Runs work on files, with errors of this module.
    package func runFileWork<T: Sendable>(at url: URL, _ body: @Sendable () throws -> T) async throws -> T {
        do { return try await run(body) } catch let error as CoordinationError {
            let isShutDown = error.code == .shutDown
            let message = isShutDown ? "The file loader was shut down." : "Too many files are requested; wait."
            throw HTTPError(code: isShutDown ? .shutDown : .overloaded, message: message, url: url, cause: error)
        }
    }
}
