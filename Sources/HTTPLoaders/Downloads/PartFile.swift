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
        /// Names and values in turn.
        var headers: [String]?

        func partial(_ count: Int) -> PartialBody {
            var partial = PartialBody(validator: validator, total: total, count: count)
            let texts = headers ?? []
            for place in stride(from: 0, to: texts.count - 1, by: 2) {
                partial.headers.append(name: texts[place], value: texts[place + 1])
            }
            return partial
        }
    }

    let url: URL
    private let place: String
    private let descriptor: Int32
    private let written: Mutex<Int>
    /// The beginning that an earlier download left; `nil` when there is none that a rest can be asked for.
    let partial: PartialBody?

    private var partPath: String { place + ".part" }
    private var notePath: String { place + ".part.json" }

    /// Opens or creates the file beside its final path.
    /// - Throws: `.fileNotAllowed`, also while another download has it; `.transferFailed`.
    init(_ place: String, url: URL) throws(HTTPError) {
        self.place = place
        self.url = url
        // No link: another user of the folder must not choose what is written.
        let part = unsafe open(place + ".part", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard part >= 0 else { throw Self.failure("cannot be written", errno, url) }
        descriptor = part
        var (status, named) = (stat(), stat())
        // A download that ended between opening and locking has given the file its final name: it is not ours then.
        guard flock(part, LOCK_EX | LOCK_NB) == 0, unsafe fstat(part, &status) == 0,
            unsafe lstat(place + ".part", &named) == 0, status.st_ino == named.st_ino,
            status.st_mode & S_IFMT == S_IFREG
        else {
            close(part)
            throw HTTPError(
                code: .fileNotAllowed, message: "Another download writes this file, or it is no regular file.",
                url: url)
        }
        let count = Int(status.st_size)
        let note = (try? Data(contentsOf: URL(filePath: place + ".part.json"))).flatMap {
            try? JSONDecoder().decode(Note.self, from: $0)
        }
        let isWanted = count > 0 && note?.url == url.textWithoutFragment && count <= note?.total ?? count
        partial = isWanted ? note.map { $0.partial(count) } : nil
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
        let note = Note(
            url: url.textWithoutFragment, validator: body.validator, total: body.total,
            headers: body.headers.filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
                .flatMap { [$0.name, $0.value] })
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
    func finish(as path: String) throws(HTTPError) {
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
