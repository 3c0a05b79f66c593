// SPDX-License-Identifier: MIT
import CLibcurl
import CTransportShims
import Locks
public import PlatformBasics

/// The head of a response, and its body as it arrives.
///
/// No status is an error here: 404 is a response like any other.
public struct HTTPResponse: Sendable {
    /// The status code, 200 … 999; those from 600 on have no meaning in HTTP, and some origins send them.
    public let status: Int
    /// The fields of the head.
    ///
    /// They still name the compression of the body, though ``body`` is decoded.
    public let headers: HTTPHeaders
    /// The interim responses (1xx) that came before, in order.
    public let interimResponses: [HTTPInterimResponse]
    /// The URL of the response, after redirects.
    public let url: URL
    /// The content.
    ///
    /// Dropping it before its end cancels the transfer.
    public let body: HTTPBody
    package let recorder: MetricsRecorder

    /// The measurements of the transfer so far.
    ///
    /// They are complete, with ``HTTPMetrics/total``, once the iteration of ``body`` has returned `nil` or thrown. Read
    /// them then; the value can be kept without the response.
    public var metrics: HTTPMetrics { recorder.snapshot }

    /// Creates a response, for loaders other than ``HTTPClient`` and for stubs.
    public init(
        status: Int, headers: HTTPHeaders = [:], url: URL, body: HTTPBody = HTTPBody([]),
        metrics: HTTPMetrics = HTTPMetrics()
    ) {
        self.init(status: status, headers: headers, url: url, body: body, recorder: MetricsRecorder(metrics))
    }

    package init(
        status: Int, headers: HTTPHeaders, interimResponses: [HTTPInterimResponse] = [], url: URL, body: HTTPBody,
        recorder: MetricsRecorder
    ) {
        self.interimResponses = interimResponses
        self.status = status
        self.headers = headers
        self.url = url
        self.body = body
        self.recorder = recorder
    }
}

/// A response that came before the final one, such as 103 (Early Hints).
/// - Source: RFC 9110, section 15.2.
public struct HTTPInterimResponse: Sendable, Hashable {
    /// The status code, 100 … 199.
    public let status: Int
    /// The fields.
    public let headers: HTTPHeaders
}

/// The measurements of one transfer by the client. The phases are those of the last hop of a redirected request.
public struct HTTPMetrics: Sendable, Hashable {
    /// Looking the name up; about zero for an address, a cached name or a reused connection.
    public var nameLookup: Duration = .zero
    /// Making the TCP connection; zero for a reused one.
    public var connect: Duration = .zero
    /// The TLS handshake; zero without TLS and for a reused connection.
    public var tls: Duration = .zero
    /// From the start of the last hop to the first byte of its response.
    public var firstByte: Duration = .zero
    /// From the call of `send` to the last byte, redirects and waiting for a slot included; `nil` until the end.
    public var total: Duration?
    /// Bytes of the body received so far, before decompression.
    public var bytesReceived = 0
    /// Bytes of the request's content that were sent, in the last hop.
    public var bytesSent = 0
    /// The version of the response: `"1.0"`, `"1.1"` or `"2"`; `nil` when unknown.
    public var httpVersion: String?
    /// The address of the peer (of the proxy, if there is one), without port.
    public var remoteAddress: String?
    /// Whether the last hop used a connection of an earlier transfer.
    public var reusedConnection = false
    /// The number of redirects followed.
    public var redirectCount = 0
    /// The number of times that a `RetryingLoader` sent the request; the other numbers are those of the last time.
    public var attemptCount = 1

    /// Creates metrics that are all zero, for stubs.
    public init() {}
}

/// Metrics that the event loop still writes when the caller already has the response.
package final class MetricsRecorder: Sendable {
    private let metrics: Mutex<HTTPMetrics>

    init(_ metrics: HTTPMetrics) {
        self.metrics = Mutex(metrics)
    }

    var snapshot: HTTPMetrics { metrics.withLock { $0 } }

    package func update(_ change: (inout HTTPMetrics) -> Void) {
        metrics.withLock { change(&$0) }
    }
}

extension HTTPMetrics {
    /// Reads what libcurl has measured up to the head; its times all count from the time at which it got the addresses.
    mutating func recordHead(from easy: EasyHandle, lookUpTime: Duration) {
        let looked = easy.duration(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = easy.duration(CURLINFO_CONNECT_TIME_T)
        let secured = easy.duration(CURLINFO_APPCONNECT_TIME_T)
        nameLookup = lookUpTime + looked
        connect = max(.zero, connected - looked)
        tls = max(.zero, secured - connected)
        firstByte = lookUpTime + easy.duration(CURLINFO_STARTTRANSFER_TIME_T)
        remoteAddress = easy.text(CURLINFO_PRIMARY_IP)
        reusedConnection = easy.integer(CURLINFO_NUM_CONNECTS) == 0
        httpVersion =
            switch easy.integer(CURLINFO_HTTP_VERSION) {
            case Int(CURL_HTTP_VERSION_1_0): "1.0"
            case Int(CURL_HTTP_VERSION_1_1): "1.1"
            case Int(CURL_HTTP_VERSION_2_0): "2"
            default: nil
            }
    }
}
