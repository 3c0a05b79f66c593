// SPDX-License-Identifier: MIT
public import PlatformBasics

/// Why a request was not sent, or why its response is incomplete.
///
/// Status codes are not errors; cancellation is `CancellationError`.
public struct HTTPError: Error, Sendable {
    /// The kind of failure, for decisions.
    public let code: Code
    /// What happened and what to do about it, for a human reader: the summary and the advice.
    public var message: String { advice.map { "\(summary) \($0)" } ?? summary }
    /// What happened.
    public let summary: String
    /// What a program that uses this library can do about it, in the library's names of settings and types; `nil` for
    /// nothing of the kind. A command says its own option in place of it, by the code.
    public let advice: String?
    /// The underlying error, if any.
    public let cause: (any Error)?
    /// The URL of the hop that failed.
    public let url: URL?
    /// The status, when a head had been received; that of the proxy when it refused a tunnel.
    public let status: Int?
    /// The response that was not accepted, for the codes `.unacceptableStatus`,
    /// `.unacceptableContentType` and `.undecodableBody`.
    public let response: Response?
    /// The certificates that the origin has shown, its own first, each in DER, when one of them was refused. They are
    /// untrusted input; at most 16 KB. Empty for other errors.
    public package(set) var peerCertificates: [[UInt8]] = []

    /// Creates an error whose summary is the message.
    public init(
        code: Code, message: String, advice: String? = nil, url: URL? = nil, status: Int? = nil,
        cause: (any Error)? = nil, response: Response? = nil
    ) {
        self.response = response
        self.code = code
        (summary, self.advice) = (message, advice)
        self.cause = cause
        self.url = url
        self.status = status
    }
}

extension HTTPError: CustomStringConvertible {
    /// The code, the message, and the URL and status where known.
    public var description: String {
        var text = "\(code): \(message)"
        if let status { text += " [status \(status)]" }
        if let url { text += " [\(url.absoluteString)]" }
        return text
    }
}

extension HTTPError {
    /// A request that must not be sent.
    static func invalidRequest(_ message: String, at url: URL? = nil, cause: (any Error)? = nil) -> HTTPError {
        HTTPError(code: .invalidRequest, message: message, url: url, cause: cause)
    }

    /// A request that must not be sent, because its content cannot be made.
    static func cannotEncode(because cause: any Error) -> HTTPError {
        .invalidRequest("The value cannot be encoded: \(cause).", cause: cause)
    }

    /// The same error, with the place where it happened.
    package func at(_ url: URL, _ status: Int?) -> HTTPError {
        var error = HTTPError(
            code: code, message: summary, advice: advice, url: url, status: status, cause: cause, response: response)
        error.peerCertificates = peerCertificates
        return error
    }
}

extension HTTPError {
    /// The kind of a failure.
    ///
    /// The set is open: handle unknown codes like a failed transfer.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the member.
        public let description: String

        private init(_ name: String) {
            description = name
        }

        /// The request must not be sent: header injection, a bad method, credentials in the URL, or a URL that is too
        /// long.
        public static let invalidRequest = Code("invalidRequest")
        /// The scheme is not `http` or `https`, or the host is missing.
        public static let unsupportedURL = Code("unsupportedURL")
        /// The file is outside of the folders of its loader, is a link, is no regular file, or may not be read.
        public static let fileNotAllowed = Code("fileNotAllowed")
        /// The address policy refuses the address of the name.
        public static let addressNotAllowed = Code("addressNotAllowed")
        /// The host name does not resolve.
        public static let cannotResolveHost = Code("cannotResolveHost")
        /// No connection was made: refused or unreachable.
        public static let cannotConnect = Code("cannotConnect")
        /// The process or the machine has no file descriptor left for a connection.
        public static let tooManyOpenFiles = Code("tooManyOpenFiles")
        /// The connection ended before the response or inside its head.
        public static let connectionLost = Code("connectionLost")
        /// The body ended before its announced end.
        public static let truncatedBody = Code("truncatedBody")
        /// One of the time limits passed.
        public static let timedOut = Code("timedOut")
        /// The TLS handshake failed for a reason other than the certificate.
        public static let tlsFailed = Code("tlsFailed")
        /// The certificate has an unknown issuer, or is refused for a reason without its own code.
        public static let certificateNotTrusted = Code("certificateNotTrusted")
        /// The certificate has expired or is not valid yet.
        public static let certificateExpired = Code("certificateExpired")
        /// The certificate is for another host.
        public static let certificateHostMismatch = Code("certificateHostMismatch")
        /// No certificate of the origin is among the pinned ones, or it has none, or none is pinned.
        public static let certificatePinMismatch = Code("certificatePinMismatch")
        /// The stream that is the content of the request has failed; see ``HTTPError/cause``.
        public static let contentFailed = Code("contentFailed")
        /// The response is not HTTP, or contradicts itself.
        public static let invalidResponse = Code("invalidResponse")
        /// The header section is longer, or has more fields, than the limit.
        public static let headersTooLarge = Code("headersTooLarge")
        /// The body is longer than the limit.
        public static let bodyTooLarge = Code("bodyTooLarge")
        /// The body decompresses to more than the ratio allows, as a decompression bomb does.
        public static let compressionRatioExceeded = Code("compressionRatioExceeded")
        /// More redirects than the limit, or a redirect loop.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// A redirect to another scheme, from https to http, or to something that is no URL.
        public static let redirectNotAllowed = Code("redirectNotAllowed")
        /// The status is not among the acceptable ones; see ``HTTPError/response``.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The content type is not among the acceptable ones; see ``HTTPError/response``.
        public static let unacceptableContentType = Code("unacceptableContentType")
        /// The body is not what its decoder expects; see ``HTTPError/cause``.
        public static let undecodableBody = Code("undecodableBody")
        /// The proxy refuses a tunnel without another credential.
        public static let proxyAuthenticationRequired = Code("proxyAuthenticationRequired")
        /// The proxy refuses a tunnel to the origin; the status is the proxy's.
        public static let proxyRefused = Code("proxyRefused")
        /// More requests wait than the queue holds.
        public static let overloaded = Code("overloaded")
        /// The origin has failed so often that it is spared for a while.
        public static let circuitOpen = Code("circuitOpen")
        /// Two tasks read the same body at once.
        public static let bodyInUse = Code("bodyInUse")
        /// The client was shut down.
        public static let shutDown = Code("shutDown")
        /// Anything else; the message names libcurl's code.
        public static let transferFailed = Code("transferFailed")
    }
}
