#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The head of an answer, and its body as it arrives.
///
/// Whatever the status says is not an error here: 404 is a response like any other.
public struct HTTPResponse: Sendable {
    /// The status code, 200 … 599.
    public let status: Int
    /// The fields of the head.
    ///
    /// When the body was compressed they still say so, though ``body`` is decoded.
    public let headers: HTTPHeaders
    /// Where the answer came from, after redirects.
    public let url: URL
    /// The content.
    ///
    /// Dropping it before its end cancels the transfer.
    public let body: HTTPBody
    private let recorder: MetricsRecorder

    /// What the transfer cost so far; complete once the body has ended.
    public var metrics: HTTPMetrics { recorder.snapshot }

    /// Makes a response, for loaders other than ``HTTPClient`` and for stubs.
    public init(
        status: Int, headers: HTTPHeaders = [:], url: URL, body: HTTPBody = HTTPBody([]),
        metrics: HTTPMetrics = HTTPMetrics()
    ) {
        self.init(status: status, headers: headers, url: url, body: body, recorder: MetricsRecorder(metrics))
    }

    init(status: Int, headers: HTTPHeaders, url: URL, body: HTTPBody, recorder: MetricsRecorder) {
        self.status = status
        self.headers = headers
        self.url = url
        self.body = body
        self.recorder = recorder
    }
}
