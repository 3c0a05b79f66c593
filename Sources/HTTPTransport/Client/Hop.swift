// SPDX-License-Identifier: MIT
import PlatformBasics

/// One checked request of a chain of redirects, ready to be sent.
///
/// A class, because it is handed on four times on its way to libcurl and has eight references.
final class Hop: Sendable {
    let request: HTTPRequest
    let origin: Origin
    /// The URL without its fragment, printable ASCII only.
    let target: String

    var isHead: Bool { request.method == "HEAD" }

    /// Creates a hop after a check of everything in the request that is sent.
    init(_ request: consuming HTTPRequest, settings: TransferSettings) throws(HTTPError) {
        let text = request.url.absoluteString
        let limit = settings.configuration.maximumURLByteCount
        guard text.utf8.count <= limit else {
            throw .invalidRequest("The URL has \(text.utf8.count) bytes, beyond the limit of \(limit).")
        }
        origin = try Origin(request.url)
        if let proxy = settings.configuration.proxy { _ = try Proxy(proxy) }
        if settings.hasPins, let pins = settings.tls(for: origin.host).pinBytes, pins.isEmpty || !origin.isSecure {
            throw HTTPError(
                code: .certificatePinMismatch,
                message: pins.isEmpty
                    ? "The TLS policy asks for pins and has none; correct their texts, or set no pins."
                    : "The TLS policy asks for a pinned certificate, which http does not have; use https.",
                url: request.url)
        }
        guard text.allBytes({ (0x21...0x7E).contains($0) }) else {
            throw .invalidRequest("The URL contains characters that must be escaped.")
        }
        let hasFragment = !text.allBytes { $0 != UInt8(ascii: "#") }
        target = hasFragment ? String(text.prefix { $0 != "#" }) : text
        try Self.check(method: request.method, url: request.url)
        guard request.method != "HEAD" || !request.hasContent else {
            throw .invalidRequest("A HEAD request has no body.", at: request.url)
        }
        try request.cookies?.check(request, limit: settings.headLimits.byteCount)
        if !request.headers.isEmpty { try Self.check(request.headers, url: request.url, settings) }
        if let reason = settings.configuration.addressPolicy.reasonToRefuse(host: origin.host, port: origin.port) {
            throw HTTPError(
                code: .addressNotAllowed, message: "\(origin.host):\(origin.port) \(reason).",
                advice: "Change the address policy if it is meant to be asked.", url: request.url)
        }
        if settings.judgesAddresses, let address = origin.literalAddress,
            let reason = settings.configuration.addressPolicy.reasonToRefuse(address)
        {
            throw HTTPError.addressNotAllowed(address, because: reason, url: request.url)
        }
        self.request = request
    }

    private static func check(method: String, url: URL) throws(HTTPError) {
        guard method.isToken, method.utf8.count <= 32, method != "CONNECT", method != "TRACE" else {
            throw .invalidRequest("The method must be a token other than CONNECT and TRACE.", at: url)
        }
    }

    /// Fields that frame the message or belong to one connection: different readings of them allow request smuggling.
    private static let reserved: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]

    private static func check(_ headers: HTTPHeaders, url: URL, _ settings: TransferSettings) throws(HTTPError) {
        let limits = settings.headLimits
        var byteCount = 0
        for field in headers {
            guard field.name.isToken else {
                throw .invalidRequest("A header name contains characters that it may not.", at: url)
            }
            guard !reserved.contains(field.name.lowercased()) else {
                throw .invalidRequest("The header \(field.name) is set by the client; leave it out.", at: url)
            }
            guard field.value.allBytes({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw .invalidRequest("The value of the header \(field.name) has a control character.", at: url)
            }
            byteCount += field.name.utf8.count + field.value.utf8.count + 4
        }
        guard byteCount <= limits.byteCount, headers.count <= limits.fieldCount else {
            throw .invalidRequest("The request headers exceed the limits.", at: url)
        }
    }
}

extension HTTPError {
    static func addressNotAllowed(_ address: IPAddress, because reason: String, url: URL) -> HTTPError {
        HTTPError(
            code: .addressNotAllowed, message: "\(address) \(reason).",
            advice: "Allow its network in the address policy if the request is meant to go there.", url: url)
    }
}
