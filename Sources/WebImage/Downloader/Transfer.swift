// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import PlatformBasics
import Synchronization
import TaskCoordination

/// One transfer, from the request to the verified response.
final class Transfer: Sendable {
    /// As the load has made it: what its transfer brings is for all loads of the same original.
    let request: ImageRequest
    /// Fields that make the request conditional; a 304 is a success then.
    let validators: HTTPHeaders
    /// Transfers of one origin wait in one lane.
    var lane: String { request.origin }
    /// The number of body bytes received so far.
    let receivedCount = Atomic(0)
    private let downloader: ImageDownloader
    /// Runs since the transfer was requested.
    private let waiting = Stopwatch()
    /// That of its flight.
    let work: FlightWork

    init(_ request: ImageRequest, _ validators: HTTPHeaders, _ downloader: ImageDownloader, _ work: FlightWork) {
        self.request = request
        self.validators = validators
        self.downloader = downloader
        self.work = work
        hub.tell(request, .queued)
    }

    private var configuration: ImageDownloader.Configuration { downloader.configuration }
    private var hub: ActivityHub { downloader.hub }

    func run(_ report: @escaping @Sendable (LoadProgress) -> Void) async throws -> Download {
        try await TransferScope.run(self, in: downloader) { try await transfer(report) }
    }

    private func transfer(_ report: @escaping @Sendable (LoadProgress) -> Void) async throws -> Download {
        try Task.checkCancellation()
        let claim = ContentOrder.Claim(downloader.contentOrder, request.transferKey)
        let number = hub.tally.downloads.add()
        downloader.board.insert(self, number: number)
        defer { downloader.board.remove(number) }
        hub.tell(request, .started(waited: waiting.elapsed))
        do {
            let (response, arrival) = try await response()
            let origin = origin(response, arrival)
            if !validators.isEmpty, response.status == 304 {
                return Download(origin: origin, bytes: [], number: number, claim: claim)
            }
            try check(response, arrival)
            let share = downloader.jobs.map { OriginalShare($0) }
            let bytes = try await transformed(collect(response, report, share, number), origin)
            share?.settle(at: bytes.count)
            let download = Download(origin: origin, bytes: bytes, number: number, claim: claim, share: share)
            downloader.onArrival(request, download)
            return download
        } catch let error as HTTPError {
            throw ImageLoadError(
                code: .transferFailed, message: error.summary, advice: error.advice, url: request.url, cause: error)
        } catch {
            throw ImageLoadError.ofPart("loader", error, request.url, .transferFailed)
        }
    }

    /// Sends the request.
    private func response() async throws -> (HTTPResponse, arrival: Date) {
        let sending = Stopwatch()
        let answer = try await (request.loader?.part ?? downloader.transport).send(makeRequest())
        let arrival = downloader.now()
        hub.tell(request, .firstByte(after: sending.elapsed))
        guard let modifier = request.responseModifier else { return (answer, arrival) }
        return (try await hook("response modifier", modifier) { try await $0(answer) }, arrival)
    }

    private func transformed(_ body: [UInt8], _ origin: OriginResponse) async throws -> [UInt8] {
        var bytes = body
        if let transformer = request.bodyTransformer {
            bytes = try await hook("body transformer", transformer) { try await $0(body, origin) }
        }
        guard !bytes.isEmpty else {
            throw ImageLoadError(
                code: .emptyBody, message: "The origin answered without content.", advice: "Check the address.",
                url: request.url, status: origin.status)
        }
        hub.tally.downloadedByteCount.add(body.count)
        return bytes
    }

    private func origin(_ response: HTTPResponse, _ arrival: Date) -> OriginResponse {
        OriginResponse(
            url: response.url, status: response.status, headers: response.headers, receivedAt: arrival,
            metrics: response.metrics)
    }

    /// Runs a part that the program brings. Nothing of its result is used for a transfer that has ended meanwhile.
    ///
    /// Not inlined: most requests have no such part, and should not pay for its frame.
    @inline(never) private func hook<Part, Value>(
        _ name: String, _ hook: Identified<Part>, _ run: (Part) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await run(hook.part)
            try Task.checkCancellation()
            return value
        } catch {
            try Task.checkCancellation()
            throw ImageLoadError.ofHook("\(name) \(hook.identity)", error, request.url)
        }
    }

    private func makeRequest() async throws -> HTTPRequest {
        let headers = request.adding(validators).headers.merged(over: downloader.headers)
        let plain = HTTPRequest(
            url: request.url, method: request.method, headers: headers, body: request.body,
            options: request.parts?.value.transfer)
        guard let modifier = request.modifier else { return plain }
        return try await hook("request modifier", modifier) { try await $0(plain) }
    }

    private func check(_ response: HTTPResponse, _ arrival: Date) throws {
        let isAccepted =
            request.parts?.value.transfer.acceptableStatuses?.contains(response.status)
            ?? configuration.acceptableStatusCodes.contains(response.status)
        guard isAccepted else {
            var error = ImageLoadError(
                code: .unacceptableStatus,
                message: "The origin answered with status \(response.status) instead of a picture.",
                url: request.url, status: response.status)
            error.origin = origin(response, arrival)
            throw error
        }
        guard let accepted = configuration.acceptableContentTypes else { return }
        let type = response.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard accepted.contains(where: { $0.lowercased() == type.trimmed }) else {
            throw ImageLoadError(
                code: .unacceptableContentType,
                message: "The origin answered with content type \"\(type)\", which is not among the accepted ones.",
                url: request.url, status: response.status)
        }
    }

    private func collect(
        _ response: HTTPResponse, _ report: (LoadProgress) -> Void, _ share: OriginalShare?, _ number: Int
    ) async throws -> [UInt8] {
        let expected = response.body.expectedByteCount
        try checkSize(expected ?? 0)
        let body = ArrivingBody(expecting: expected)
        defer { body.endPreviews() }
        var isInspected = false
        var (count, reported) = (0, 0)
        var chunks = response.body.makeAsyncIterator()
        while true {
            if let share, share.byteCount <= count, count != expected {
                // Beyond what has come, no more is counted than the transport keeps for a reader that pauses.
                let next = min(max(1, (expected ?? .max) - count), 256 << 10)
                if !share.grow(by: next, mustFit: true) {
                    try await downloader.board.makeRoom(for: next, in: share, of: number)
                }
            }
            guard let chunk = try await chunks.next() else { break }
            try checkSize(chunk.count, after: count)
            count = body.append(chunk)
            if let share, share.byteCount < count { share.settle(at: count) }
            receivedCount.store(count, ordering: .relaxed)
            if !isInspected, count >= ImageFormat.signatureLength, count != expected {
                if request.bodyTransformer == nil { try inspect(body.beginning, response) }
                isInspected = true
            }
            if isDue(count, since: reported, of: expected) {
                reported = count
                var progress = LoadProgress(receivedByteCount: count, expectedByteCount: expected)
                hub.tell(request, .progress(progress))
                progress.received = ReceivedBytes(body, count: count)
                report(progress)
            }
        }
        // Some sequences end without an error when their reader is cancelled; a part of a body must not count as the
        // whole.
        try Task.checkCancellation()
        return body.finish()
    }

    /// Ends the transfer of a body that cannot be a picture, without waiting for the rest.
    private func inspect(_ beginning: [UInt8], _ response: HTTPResponse) throws {
        do {
            try downloader.inspect(beginning)
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: response.headers["Content-Type"])
        }
    }

    private func isDue(_ count: Int, since reported: Int, of expected: Int?) -> Bool {
        guard let expected else { return true }
        return count == expected || Double(count - reported) >= configuration.minimumProgressInterval * Double(expected)
    }

    private func checkSize(_ count: Int, after received: Int = 0) throws {
        let limit = min(configuration.maximumByteCount, request.parts?.value.transfer.maximumBodyByteCount ?? .max)
        guard count > limit - received else { return }
        throw ImageLoadError(
            code: .transferFailed, message: "The body is larger than the limit of \(limit) bytes.",
            url: request.url, cause: HTTPError(code: .bodyTooLarge, message: "The body is larger than the limit."))
    }
}

extension HTTPHeaders {
    /// These fields, and those of `other` whose names do not occur here.
    func merged(over other: HTTPHeaders) -> HTTPHeaders {
        if isEmpty { return other }
        var merged = HTTPHeaders(other.filter { !contains(name: $0.name) })
        for field in self { merged.append(name: field.name, value: field.value) }
        return merged
    }
}

extension ImageRequest {
    /// The request with these fields before its own.
    func adding(_ validators: HTTPHeaders) -> ImageRequest {
        guard !validators.isEmpty else { return self }
        var request = self
        request.headers = validators.merged(over: headers)
        return request
    }
}
