// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics
import TaskCoordination

/// Downloads bodies into files, and goes on where an earlier process stopped.
///
/// A body is written to `NAME.part` beside its file, and `NAME.part.json` says what it is the beginning of. At the end
/// it is renamed, so that the file is whole or not there. The same download goes on from what is written, with `Range`
/// and `If-Range`; an origin whose content has changed sends the new one whole. One download at a time may write a
/// file, in all processes together.
public struct FileDownloader: Sendable {
    private let loader: any HTTPLoading
    private let limit: Int
    private let pool: WorkerPool

    /// Creates a downloader.
    /// - Parameters:
    ///   - loader: Sends the requests. The downloader does not shut it down.
    ///   - maximumByteCount: The largest file to accept; default 1 GiB. The limit of an `HTTPClient` counts as well.
    public init(_ loader: any HTTPLoading, maximumByteCount: Int = 1 << 30) {
        self.loader = loader
        limit = max(0, maximumByteCount)
        pool = WorkerPool(name: "file-download", width: 2, maximumQueueLength: 10_000)
    }

    /// Downloads the body of a GET request.
    ///
    /// Its content is not decompressed, and none is asked for in a coding.
    ///
    /// **Cancellation**: ends the transfer; the beginning stays for the next download.
    /// - Parameters:
    ///   - request: A GET request without content, ranges and conditions.
    ///   - path: The absolute path of the file. An existing one is replaced at the end.
    /// - Returns: The number of bytes of the file, and how many of them came now.
    /// - Throws: `HTTPError` with code `.unacceptableStatus` for every status but 200, `.bodyTooLarge`,
    ///   `.fileNotAllowed` while another download writes the file, `.truncatedBody` when the parts do not make a whole,
    ///   and the errors of the transfer; `CancellationError`.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to path: String
    ) async throws -> (byteCount: Int, receivedCount: Int) {
        guard request.isResumable, path.hasPrefix("/"), !path.utf8.contains(0) else {
            throw HTTPError(
                code: .invalidRequest,
                message: "A download needs a GET request without content, ranges and conditions, and an absolute path.",
                url: request.url)
        }
        var request = request
        request.options.decodesContent = false
        let url = request.url
        let file = try await pool.runFileWork(at: url) { try PartFile(path, url: url) }
        var response: HTTPResponse
        if let partial = file.partial, partial.total == partial.count {
            // An earlier process ended between the last byte and the name.
            return try await receive(HTTPBody([]), into: file, total: partial.total)
        } else if let partial = file.partial {
            switch try await loader.rest(of: request, after: partial) {
            case .rest(let rest, let total): return try await receive(rest.body, into: file, total: total)
            case .other(let other): response = other
            case .useless: response = try await loader.send(request)
            }
        } else {
            response = try await loader.send(request)
        }
        response = try response.checked([200], nil, for: request)
        let (partial, total) = (PartialBody(response, to: request), response.body.expectedByteCount)
        try await pool.runFileWork(at: url) { try file.begin(partial) }
        return try await receive(response.body, into: file, total: total)
    }

    /// Ends the threads once no file is written.
    public func shutdown() async {
        await pool.shutdown()
    }

    private func receive(_ body: HTTPBody, into file: PartFile, total: Int?) async throws -> (Int, Int) {
        let beginning = file.byteCount
        var count = beginning
        defer { body.cancel() }
        guard total ?? 0 <= limit else { throw HTTPError.bodyTooLarge(limit: limit, announced: total) }
        for try await chunk in body {
            guard chunk.count <= limit - count else { throw HTTPError.bodyTooLarge(limit: limit, announced: nil) }
            count += chunk.count
            try await pool.runFileWork(at: file.url) { try file.append(chunk) }
        }
        guard total == nil || total == count else {
            throw HTTPError(
                code: .truncatedBody, message: "The file has \(count) bytes of \(total ?? 0).", url: file.url)
        }
        try await pool.runFileWork(at: file.url) { try file.finish() }
        return (count, count - beginning)
    }
}
