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
        var bodies: [HTTPBody] = []
        var count: Int? = 0
        try await Self.collect(content.source, url: url, &bodies, &count)
        self.bodies = bodies
        byteCount = count
    }

    private static let files = WorkerPool(name: "upload-file", width: 2, maximumQueueLength: 10_000)

    private static func collect(
        _ source: HTTPContent.Source, url: URL, _ bodies: inout [HTTPBody], _ count: inout Int?
    ) async throws {
        switch source {
        case .bytes(let bytes):
            bodies.append(HTTPBody([bytes]))
            add(bytes.count, to: &count)
        case .file(let path):
            let file = try await files.runFileWork(at: url) { try OpenFile(path: path, url: url) }
            bodies.append(HTTPBody(FileChunks(file: file, pool: files), expectedByteCount: file.byteCount))
            add(file.byteCount, to: &count)
        case .parts(let parts):
            for part in parts { try await collect(part, url: url, &bodies, &count) }
        case .stream(let stream):
            bodies.append(stream.make())
            add(stream.byteCount, to: &count)
        }
    }

    private static func add(_ more: Int?, to count: inout Int?) {
        guard let more, more >= 0, let sum = count?.addingReportingOverflow(more), !sum.overflow else {
            return count = nil
        }
        count = sum.partialValue
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
        HTTPError(
            code: .invalidRequest,
            message:
                "The content of the request is not as long as announced, \(byteCount ?? 0) bytes; correct the number.",
            url: url)
    }
}

extension HTTPRequest {
    /// A sending of the content, when it is not in memory.
    func upload() async throws -> ContentUpload? {
        guard let content = streamedContent else { return nil }
        return try await ContentUpload(content, url: url)
    }
}
