import Foundation
import HTTPTransport
import TaskCoordination

/// One transfer, from the request to the verified answer.
final class Transfer: FlightPlan {
    typealias Progress = LoadProgress

    let request: ImageRequest
    let acceptsNotModified: Bool
    private let downloader: ImageDownloader
    private let waiting: Stopwatch

    /// - Parameters:
    ///   - acceptsNotModified: Whether the request is conditional.
    ///   - waiting: Runs since the transfer was asked for.
    init(_ request: ImageRequest, acceptsNotModified: Bool, _ downloader: ImageDownloader, waiting: Stopwatch) {
        self.request = request
        self.acceptsNotModified = acceptsNotModified
        self.downloader = downloader
        self.waiting = waiting
        hub.tell(request.url, .queued)
    }

    private var configuration: ImageDownloader.Configuration { downloader.configuration }
    private var hub: ActivityHub { downloader.hub }

    @concurrent func fly(_ report: @escaping @Sendable (LoadProgress) -> Void) async throws -> Download {
        try Task.checkCancellation()
        let visit = NewestContent.Visit(downloader.newest, request.transferKey)
        let number = hub.tally.downloads.add()
        hub.tell(request.url, .started(waited: waiting.elapsed))
        let sending = Stopwatch()
        do {
            let response = try await downloader.transport.send(makeRequest())
            hub.tell(request.url, .firstByte(after: sending.elapsed))
            if acceptsNotModified, response.status == 304 {
                return Download(status: 304, headers: response.headers, bytes: [], number: number, visit: visit)
            }
            try check(response)
            let bytes = try await collect(response.body, report)
            guard !bytes.isEmpty else {
                throw ImageLoadError(
                    .emptyBody, message: "The origin answered without content; check the address.", url: request.url,
                    status: response.status)
            }
            hub.tally.downloadedByteCount.add(bytes.count)
            return Download(
                status: response.status, headers: response.headers, bytes: bytes, number: number, visit: visit)
        } catch let error as HTTPError {
            throw ImageLoadError(.transferFailed, message: error.message, url: request.url, cause: error)
        }
    }

    private func makeRequest() async throws -> HTTPRequest {
        let headers = request.headers.merged(over: configuration.headers)
        let plain = HTTPRequest(url: request.url, method: request.method, headers: headers, body: request.body)
        return try await request.modifier?.modify(plain) ?? plain
    }

    private func check(_ response: HTTPResponse) throws {
        guard configuration.acceptableStatusCodes.contains(response.status) else {
            throw ImageLoadError(
                .unacceptableStatus,
                message: "The origin answered with status \(response.status) instead of a picture.",
                url: request.url, status: response.status)
        }
        guard let accepted = configuration.acceptableContentTypes else { return }
        let type = response.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard accepted.contains(type.trimmingCharacters(in: .whitespaces)) else {
            throw ImageLoadError(
                .unacceptableContentType,
                message: "The origin answered with content type \"\(type)\", which is not among the accepted ones.",
                url: request.url, status: response.status)
        }
    }

    private func collect(_ body: HTTPBody, _ report: (LoadProgress) -> Void) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        if let expected = body.expectedByteCount {
            try checkSize(expected)
            bytes.reserveCapacity(expected)
        }
        var reported = 0
        for try await chunk in body {
            try checkSize(bytes.count + chunk.count)
            bytes.append(contentsOf: chunk)
            if isDue(bytes.count, since: reported, of: body.expectedByteCount) {
                reported = bytes.count
                let progress = LoadProgress(
                    receivedByteCount: bytes.count, expectedByteCount: body.expectedByteCount)
                hub.tell(request.url, .progress(progress))
                report(progress)
            }
        }
        // Some sequences just end when their reader is cancelled; half a body must not pass for a whole one.
        try Task.checkCancellation()
        return bytes
    }

    private func isDue(_ count: Int, since reported: Int, of expected: Int?) -> Bool {
        guard let expected else { return true }
        return count == expected || Double(count - reported) >= configuration.minimumProgressInterval * Double(expected)
    }

    private func checkSize(_ count: Int) throws {
        guard count > configuration.maximumByteCount else { return }
        throw ImageLoadError(
            .transferFailed,
            message: "The body is larger than the limit of \(configuration.maximumByteCount) bytes.",
            url: request.url, cause: HTTPError(code: .bodyTooLarge, message: "The body is larger than the limit."))
    }
}
