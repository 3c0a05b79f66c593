// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import PlatformBasics

/// The file of a download that has not come to its end, locked against every other download.
///
/// Its methods block, except ``byteCount`` and ``partial``.
final class PartFile: Sendable {
    /// What the bytes are the beginning of.
    private struct Note: Codable {
        let url: String
        let validator: String
        let total: Int?
    }

    let url: URL
    private let path: String
    private let descriptor: Int32
    private let written: Mutex<Int>
    /// The beginning that an earlier download left; `nil` when there is none that a rest can be asked for.
    let partial: PartialBody?

    private var partPath: String { path + ".part" }
    private var notePath: String { path + ".part.json" }

    /// Opens or creates the file beside its final path.
    /// - Throws: `.fileNotAllowed`, also while another download has it; `.transferFailed`.
    init(_ path: String, url: URL) throws(HTTPError) {
        self.path = path
        self.url = url
        // No link: another user of the folder must not choose what is written.
        let part = unsafe open(path + ".part", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard part >= 0 else { throw Self.failure("cannot be written", errno, url) }
        descriptor = part
        var (status, named) = (stat(), stat())
        // A download that ended between opening and locking has given the file its final name: it is not ours then.
        guard flock(part, LOCK_EX | LOCK_NB) == 0, unsafe fstat(part, &status) == 0,
            unsafe lstat(path + ".part", &named) == 0, status.st_ino == named.st_ino,
            status.st_mode & S_IFMT == S_IFREG
        else {
            close(part)
            throw HTTPError(
                code: .fileNotAllowed, message: "Another download writes this file, or it is no regular file.",
                url: url)
        }
        let count = Int(status.st_size)
        let note = (try? Data(contentsOf: URL(filePath: path + ".part.json"))).flatMap {
            try? JSONDecoder().decode(Note.self, from: $0)
        }
        let isWanted = count > 0 && note?.url == url.textWithoutFragment && count <= note?.total ?? count
        partial = isWanted ? note.map { PartialBody(validator: $0.validator, total: $0.total, count: count) } : nil
        written = Mutex(isWanted ? count : 0)
    }

    deinit {
        // Closing gives the lock back.
        close(descriptor)
    }

    /// The number of bytes that belong to the body.
    var byteCount: Int { written.withLock { $0 } }

    /// Begins anew with a body, of which a rest can be asked for later unless it is `nil`.
    func begin(_ body: PartialBody?) throws(HTTPError) {
        // The note goes first: a beginning without a note is never continued.
        _ = unsafe unlink(notePath)
        guard ftruncate(descriptor, 0) == 0 else { throw Self.failure("cannot be emptied", errno, url) }
        written.withLock { $0 = 0 }
        guard let body else { return }
        let note = Note(url: url.textWithoutFragment, validator: body.validator, total: body.total)
        do { try JSONEncoder().encode(note).write(to: URL(filePath: notePath), options: .atomic) } catch {
            throw HTTPError(
                code: .transferFailed, message: "The note of a download cannot be written.", url: url, cause: error)
        }
    }

    /// Appends a chunk.
    func append(_ chunk: [UInt8]) throws(HTTPError) {
        var done = 0
        let start = byteCount
        while done < chunk.count {
            let step = unsafe chunk.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress?.advanced(by: done), chunk.count - done, off_t(start + done))
            }
            guard step > 0 else {
                if step < 0, errno == EINTR { continue }
                throw Self.failure("cannot be written", errno, url)
            }
            done += step
        }
        written.withLock { $0 = start + done }
    }

    /// Gives the file its final name, after its bytes are on the disk.
    func finish() throws(HTTPError) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0, fsync(descriptor) == 0 else {
            throw Self.failure("cannot be written to the end", errno, url)
        }
        guard unsafe rename(partPath, path) == 0 else { throw Self.failure("cannot be named", errno, url) }
        _ = unsafe unlink(notePath)
    }

    private static func failure(_ what: String, _ reason: Int32, _ url: URL) -> HTTPError {
        let isRefused = [EACCES, EPERM, ELOOP, ENOENT, ENOTDIR, EISDIR, EROFS].contains(reason)
        return HTTPError(
            code: isRefused ? .fileNotAllowed : .transferFailed,
            message: "The file of the download \(what): \(unsafe String(cString: strerror(reason))).", url: url)
    }
}
