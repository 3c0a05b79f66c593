// SPDX-License-Identifier: MIT
public import HTTPTransport
public import PlatformBasics

/// Answers requests for known URLs with bytes in memory, of any scheme.
public struct BytesLoader: HTTPLoading {
    /// What is at a URL.
    public struct Content: Sendable, Hashable {
        /// The body.
        public var bytes: [UInt8]
        /// The media type, such as `image/png`; `nil` sends no `Content-Type`.
        public var type: String?

        /// Creates a content.
        public init(_ bytes: [UInt8], type: String? = nil) {
            self.bytes = bytes
            self.type = type
        }
    }

    private let contents: [URL: Content]

    /// Creates a loader for these URLs and no other; they are compared whole.
    public init(_ contents: [URL: Content]) {
        self.contents = contents
    }

    /// The bytes with status 200, or status 404 for an unknown URL.
    ///
    /// - Throws: `HTTPError` with code `.bodyTooLarge` when the request accepts fewer bytes, or when it does not
    ///   accept the status or the type; `CancellationError`.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        guard let content = contents[request.url] else {
            return try HTTPResponse(status: 404, url: request.url).checked(for: request)
        }
        return try HTTPResponse(request, content.bytes, type: content.type, limit: .max).checked(for: request)
    }

    /// Whether there are bytes for the URL.
    public func canLoad(_ request: HTTPRequest) -> Bool { contents[request.url] != nil }

    /// The schemes of the known URLs, in alphabetical order.
    public var schemes: [String] { Set(contents.keys.compactMap { $0.scheme?.lowercased() }).sorted() }

    /// Does nothing.
    public func shutdown() async {}
}

/// Answers requests with a closure.
public struct ClosureLoader: HTTPLoading {
    /// The schemes in lower case; empty for all.
    public let schemes: [String]
    private let answer: @concurrent @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Creates a loader.
    /// - Parameters:
    ///   - schemes: The schemes that the closure is for; empty for every URL.
    ///   - answer: Runs once per request, off every actor. It limits the bytes that it makes itself.
    public init(
        schemes: [String] = [], _ answer: @escaping @concurrent @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        self.schemes = schemes.map { $0.lowercased() }
        self.answer = answer
    }

    /// What the closure returns.
    ///
    /// - Throws: What the closure throws; `CancellationError` for a task that is cancelled before.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        return try await answer(request).checked(for: request)
    }

    /// Does nothing.
    public func shutdown() async {}
}

extension HTTPResponse {
    /// A response with status 200 and the bytes, for loaders whose bytes are in memory.
    init(_ request: HTTPRequest, _ bytes: [UInt8], type: String?, limit: Int) throws(HTTPError) {
        try self.init(request, byteCount: bytes.count, type: type, limit: limit) { HTTPBody([bytes]) }
    }

    /// A response with status 200, for loaders whose content is on this machine.
    ///
    /// A HEAD request gets the fields alone.
    /// - Throws: `.bodyTooLarge`, before the body is made; what `body` throws.
    init(
        _ request: HTTPRequest, byteCount: Int, type: String?, limit: Int, headers: HTTPHeaders = [:],
        body: () throws(HTTPError) -> HTTPBody
    ) throws(HTTPError) {
        let limit = min(limit, request.options.maximumBodyByteCount ?? .max)
        guard byteCount <= limit else {
            throw HTTPError.bodyTooLarge(limit: limit, announced: byteCount).at(request.url, 200)
        }
        var headers = headers
        headers.append(name: "Content-Length", value: String(byteCount))
        if let type { headers.append(name: "Content-Type", value: type) }
        var metrics = HTTPMetrics()
        metrics.bytesReceived = byteCount
        metrics.total = .zero
        self.init(
            status: 200, headers: headers, url: request.url,
            body: request.method == "HEAD" ? HTTPBody([]) : try body(), metrics: metrics)
    }
}
