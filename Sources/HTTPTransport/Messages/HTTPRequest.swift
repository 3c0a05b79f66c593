#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request to an origin.
///
/// A plain value: it is checked when it is sent. Two requests are equal when the origin receives the same.
public struct HTTPRequest: Sendable, Hashable {
    /// The absolute `http` or `https` URL, without user name and password.
    ///
    /// The fragment is never sent.
    public var url: URL
    /// The method, in the case in which it is sent.
    public var method: String
    /// Fields to send.
    ///
    /// The client sets the fields that frame the message (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`
    /// …); they are refused here.
    public var headers: HTTPHeaders
    /// The bytes to send with the request, all in memory.
    public var body: [UInt8]?

    /// Creates a request.
    /// - Parameters:
    ///   - url: The absolute `http` or `https` URL.
    ///   - method: A token of RFC 9110, section 9.1, not `CONNECT` and not `TRACE`.
    ///   - headers: Fields to send in addition to those of the client.
    ///   - body: The content, if any.
    public init(url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }
}

/// Something that answers HTTP requests: ``HTTPClient``, or a stub in a test.
///
/// It must not load through the image manager that it works for, which then throws an error with code `.reentrant`.
public protocol HTTPLoading: Sendable {
    /// Sends the request and returns when the head of the final response has arrived; the body follows.
    ///
    /// **Cancellation**: throws `CancellationError` and ends the transfer.
    /// - Throws: ``HTTPError``; `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Ends every transfer and releases all resources; later calls of ``send(_:)`` throw
    /// ``HTTPError/Code-swift.struct/shutDown``.
    func shutdown() async
}
