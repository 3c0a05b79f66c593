// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

/// One sending of a content that is not in memory: its bodies, its length, and the pipe to the event loop.
struct ContentUpload: Sendable {
    let byteCount: Int?
    let pipe = UploadPipe()
    private let bodies: [HTTPBody]

    /// Opens the files of a content and makes its streams.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` for a file that cannot be read; `CancellationError`.
    init(_ content: HTTPContent, url: URL) async throws {
        bodies = try await Self.bodies(of: content.source, url: url)
        byteCount = bodies.reduce(0) { count, body in
            guard let count, let more = body.expectedByteCount, more >= 0 else { return nil }
            let (sum, overflows) = count.addingReportingOverflow(more)
            return overflows ? nil : sum
        }
    }

    private static let files = WorkerPool(name: "upload-file", width: 2, maximumQueueLength: 10_000)

    private static func bodies(of source: HTTPContent.Source, url: URL) async throws -> [HTTPBody] {
        switch source {
        case .bytes(let bytes): return [HTTPBody([bytes])]
        case .file(let path):
            let file = try await files.runFileWork(at: url) { try OpenFile(path: path, url: url) }
            return [HTTPBody(FileChunks(file: file, pool: files), expectedByteCount: file.byteCount)]
        case .parts(let parts):
            var bodies: [HTTPBody] = []
            for part in parts { bodies += try await Self.bodies(of: part, url: url) }
            return bodies
        case .stream(let stream): return [stream.make()]
        }
    }

    /// Writes the bodies into the pipe, until they end, the transfer ends, or the task is cancelled.
    ///
    /// An error ends the transfer, which throws it.
    func pump(url: URL) async {
        do {
            var sent = 0
            // The last chunk waits until it is known to be the last: libcurl ends the request with the announced byte.
            var last: [UInt8]?
            for body in bodies {
                for try await chunk in body {
                    sent += chunk.count
                    if let byteCount, sent > byteCount { throw mismatch(url) }
                    if sent == byteCount {
                        last = chunk
                    } else if await !pipe.write(chunk) {
                        return
                    }
                }
            }
            try Task.checkCancellation()
            if let byteCount, sent != byteCount { throw mismatch(url) }
            if let last, await !pipe.write(last) { return }
            pipe.finish(.success(()))
        } catch {
            pipe.finish(.failure(error))
        }
    }

    private func mismatch(_ url: URL) -> HTTPError {
        .invalidRequest(
            "The content of the request is not as long as announced, \(byteCount ?? 0) bytes; correct the number.",
            at: url)
    }
}

extension HTTPRequest {
    /// A sending of the content, when it is not in memory.
    func upload() async throws -> ContentUpload? {
        guard let content = streamedContent else { return nil }
        return try await ContentUpload(content, url: url)
    }
}
