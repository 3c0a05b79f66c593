// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics

/// Sends requests with another loader, and continues bodies that broke off.
///
/// A body that breaks off, also because its reader was cancelled or has dropped it, leaves its beginning in a store.
/// The same request goes on from there, with `Range` and `If-Range`, so an origin whose content has changed meanwhile
/// sends the new one whole. A body that breaks off while it is read is continued at once, a few times. So cancelling a
/// load pauses it, and the same load resumes it.
///
/// The reader gets one body with status 200, and an error when the parts do not make a whole.
///
/// - Source: RFC 9110, sections 13.1.5 and 14.
public struct ResumingLoader: HTTPLoaderWrapping {
    /// Has the beginnings of bodies that broke off.
    public let store: PartialBodyStore
    /// Sends the requests.
    public let loader: any HTTPLoading
    private let limit: Int

    /// Creates a loader.
    /// - Parameters:
    ///   - loader: Sends the requests. It is shut down with this one.
    ///   - store: Keeps the beginnings of bodies.
    ///   - maximumResumptions: How often a body is continued while it is read; default 2.
    public init(
        _ loader: any HTTPLoading, store: PartialBodyStore = PartialBodyStore(), maximumResumptions: Int = 2
    ) {
        self.loader = loader
        self.store = store
        limit = max(0, maximumResumptions)
    }

    /// Sends the request, or asks for the rest of its body when the beginning is in the store.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.isResumable else { return try await loader.send(request) }
        if let partial = store.take(request.resumptionKey) {
            do {
                if let response = try await resume(request, partial) { return response }
            } catch {
                store.keep(partial, for: request.resumptionKey)
                throw error
            }
        }
        return recording(try await loader.send(request), request)
    }

    /// The whole response; `nil` when the beginning is of no use and the request must be sent as it is.
    private func resume(_ request: HTTPRequest, _ partial: PartialBody) async throws -> HTTPResponse? {
        switch try await loader.rest(of: request, after: partial) {
        case .rest(let rest, let total):
            var partial = partial
            partial.total = total
            partial.headers["Content-Length"] = String(total)
            return joined(partial, rest, of: total, request)
        case .other(let response):
            // An error of the origin says nothing about the content; a 200 is the new content.
            if response.status >= 400 { store.keep(partial, for: request.resumptionKey) }
            return recording(response, request)
        case .useless: return nil
        }
    }

    /// The response with a body whose beginning is kept when it breaks off.
    private func recording(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard let partial = PartialBody(response, to: request) else { return response }
        return joined(partial, response, of: response.body.expectedByteCount, request)
    }

    /// The response of a beginning, with the body of another one after it.
    private func joined(
        _ partial: PartialBody, _ rest: HTTPResponse, of total: Int?, _ request: HTTPRequest
    ) -> HTTPResponse {
        let keeper = PartialKeeper(loader, request, store, partial: partial)
        let body = ResumedBody(keeper: keeper, rest: rest.body, limit: limit)
        return HTTPResponse(
            status: 200, headers: partial.headers, url: rest.url, body: HTTPBody(body, expectedByteCount: total),
            recorder: rest.recorder)
    }
}

/// The answer to the question for the rest of a body.
enum RestAnswer {
    /// The response with the rest, and the length of the whole body.
    case rest(HTTPResponse, total: Int)
    /// Another response, such as the whole new content or an error of the origin.
    case other(HTTPResponse)
    /// Neither: the request must be sent as it is.
    case useless
}

extension HTTPLoading {
    /// Asks for what is missing after the beginning of a body.
    func rest(of request: HTTPRequest, after partial: PartialBody) async throws -> RestAnswer {
        var question = request
        question.headers["Range"] = "bytes=\(partial.count)-"
        question.headers["If-Range"] = partial.validator
        if let accepted = question.options.acceptableStatuses {
            question.options.acceptableStatuses = accepted.union([206, 412, 416])
        }
        let response: HTTPResponse
        do { response = try await send(question) } catch let error as HTTPError
            where [412, 416].contains(error.response?.status)
        {
            return .useless
        }
        switch response.status {
        case 206:
            let range = ContentRange(response.headers["Content-Range"] ?? "")
            guard let range, range.first == partial.count, partial.isOfSameContent(as: response.headers),
                !response.headers.contains(name: "Content-Encoding"),
                // Without a length, a rest that breaks off or is a part of the rest would pass for its end.
                let total = partial.total ?? range.total, range.total ?? total == total
            else {
                response.body.cancel()
                return .useless
            }
            return .rest(response, total: total)
        case 412, 416:
            response.body.cancel()
            return .useless
        default: return .other(response)
        }
    }
}

extension HTTPRequest {
    /// The request without its fragment, and without what only decides when its response arrives.
    var resumptionKey: HTTPRequest {
        var key = self
        key.url = URL(string: url.textWithoutFragment) ?? url
        if hasOptions { key.options = options.identity }
        return key
    }
}

/// A `Content-Range` field: the bytes from `first` on, of `total` or of an unknown number.
struct ContentRange: Equatable {
    let first: Int
    let total: Int?

    /// - Returns: `nil` for a field that does not say where its bytes begin, or contradicts itself.
    init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let bounds = halves[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            .map { Self.number($0) }
        guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else { return nil }
        self.first = first
        if halves[1] == "*" {
            total = nil
        } else {
            // The rest goes to the end, or it is not what was asked for.
            guard let count = Self.number(halves[1]), last == count - 1 else { return nil }
            total = count
        }
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }
}
