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
    ///   - control: Pauses the download.
    ///   - onProgress: Called with how much of the file is written, in order, in the calling task.
    /// - Returns: The file, how many of its bytes came now, and what the origin said about it.
    /// - Throws: `HTTPError` with code `.unacceptableStatus` for every status but 200, `.bodyTooLarge`,
    ///   `.fileNotAllowed` while another download writes the file, `.truncatedBody` when the parts do not make a whole,
    ///   and the errors of the transfer; `CancellationError`.
    @discardableResult
    public func download(
        _ request: HTTPRequest, to path: String, control: DownloadControl? = nil,
        onProgress: @Sendable (DownloadProgress) -> Void = { _ in }
    ) async throws -> DownloadedFile {
        try await download(request, beside: path, control, onProgress) { _ in path }
    }

    /// Downloads the body of a GET request into a folder, under a name that follows from the response.
    ///
    /// Meanwhile it is in a hidden file of the folder that belongs to the URL. Otherwise it is as
    /// ``download(_:to:control:onProgress:)``.
    /// - Parameters:
    ///   - request: A GET request without content, ranges and conditions.
    ///   - folder: The absolute path of the folder.
    ///   - control: Pauses the download.
    ///   - onProgress: Called with how much of the file is written, in order, in the calling task.
    ///   - naming: Names the file by the fields of the response, which are untrusted input. Called at the end. An error
    ///     that it throws ends the download, whose bytes stay for the next one.
    /// - Throws: What the other method throws, and `.fileNotAllowed` for a name with a slash, for that
    ///   of a part, and for none.
    @discardableResult
    public func download(
        _ request: HTTPRequest, intoFolder folder: String, control: DownloadControl? = nil,
        onProgress: @Sendable (DownloadProgress) -> Void = { _ in },
        naming: @Sendable (_ headers: HTTPHeaders) throws -> String
    ) async throws -> DownloadedFile {
        // FNV-1a. A file of another URL is told by its note.
        let digest = request.url.textWithoutFragment.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let place = folder + "/.download-" + String(digest, radix: 16)
        return try await download(request, beside: place, control, onProgress) { headers in
            let name = try naming(headers)
            // Nor that of another download's bytes, or of its note.
            guard !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F }),
                !name.hasPrefix(".download-"), ![".part", ".part.json"].contains(where: name.hasSuffix)
            else {
                throw HTTPError(
                    code: .fileNotAllowed, message: "A download needs the name of a file in its folder.",
                    url: request.url)
            }
            return folder + "/" + name
        }
    }

    private func download(
        _ request: HTTPRequest, beside place: String, _ control: DownloadControl?,
        _ onProgress: (DownloadProgress) -> Void, _ destination: (HTTPHeaders) throws -> String
    ) async throws -> DownloadedFile {
        guard request.isResumable, place.hasPrefix("/"), !place.utf8.contains(0) else {
            throw HTTPError(
                code: .invalidRequest,
                message: "A download needs a GET request without content, ranges and conditions, and an absolute path.",
                url: request.url)
        }
        var request = request
        request.options.decodesContent = false
        let url = request.url
        var receivedCount = 0
        while true {
            try await control?.ready()
            let file = try await pool.runFileWork(at: url) { try PartFile(place, url: url) }
            let (headers, body, total) = try await rest(of: request, file)
            let beginning = file.byteCount
            let isWhole = try await receive(body, into: file, total: total, control, onProgress)
            receivedCount += file.byteCount - beginning
            guard isWhole else { continue }
            let path = try destination(headers)
            try await pool.runFileWork(at: url) { try file.finish(as: path) }
            return DownloadedFile(
                path: path, byteCount: file.byteCount, receivedCount: receivedCount, headers: headers)
        }
    }

    /// What is still to come for a file, and the fields of the response that began it.
    private func rest(of request: HTTPRequest, _ file: PartFile) async throws -> (HTTPHeaders, HTTPBody, total: Int?) {
        var other: HTTPResponse?
        if let partial = file.partial {
            // An earlier process ended between the last byte and the name. What a request brings with rights of its own
            // is for those that have them, so its origin is asked.
            let isAnonymous =
                request.headers.isEmpty && request.options.credential == nil
                && request.options.cookies == HTTPRequestCookies()
            if partial.total == partial.count, isAnonymous { return (partial.headers, HTTPBody([]), partial.total) }
            switch try await loader.rest(of: request, after: partial) {
            case .rest(let rest, let total): return (partial.headers, rest.body, total)
            case .other(let response): other = response
            case .useless: break
            }
        }
        let sent = if let other { other } else { try await loader.send(request) }
        let response = try sent.checked([200], nil, for: request)
        let partial = PartialBody(response, to: request)
        try await pool.runFileWork(at: request.url) { try file.begin(partial) }
        return (response.headers, response.body, response.body.expectedByteCount)
    }

    /// Ends the threads once no file is written.
    public func shutdown() async {
        await pool.shutdown()
    }

    /// - Returns: Whether the file is whole; otherwise the download is paused.
    private func receive(
        _ body: HTTPBody, into file: PartFile, total: Int?, _ control: DownloadControl?,
        _ report: (DownloadProgress) -> Void
    ) async throws -> Bool {
        var count = file.byteCount
        defer { body.cancel() }
        guard total ?? 0 <= limit else { throw HTTPError.bodyTooLarge(limit: limit, announced: total) }
        for try await chunk in body {
            guard chunk.count <= limit - count else { throw HTTPError.bodyTooLarge(limit: limit, announced: nil) }
            count += chunk.count
            try await pool.runFileWork(at: file.url) { try file.append(chunk) }
            report(DownloadProgress(byteCount: count, totalByteCount: total))
            if control?.isPaused == true, count != total { return false }
        }
        guard total == nil || total == count else {
            throw HTTPError(
                code: .truncatedBody, message: "The file has \(count) bytes of \(total ?? 0).", url: file.url)
        }
        return true
    }
}

/// How much of a file is written.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes that are written, also by earlier downloads.
    public let byteCount: Int
    /// The length of the whole file; `nil` when the origin has not said it.
    public let totalByteCount: Int?
}

/// A file that a ``FileDownloader`` has written.
public struct DownloadedFile: Sendable {
    /// The absolute path of the file.
    public let path: String
    /// The length of the file.
    public let byteCount: Int
    /// The number of bytes that came now, and not with an earlier download.
    public let receivedCount: Int
    /// The fields of the response that began the file.
    public let headers: HTTPHeaders
}
