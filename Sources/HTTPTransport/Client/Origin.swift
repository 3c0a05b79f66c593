#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Scheme, host and port: what credentials belong to and connections lead to.
/// - Source: RFC 9110, section 4.3.1.
struct Origin: Hashable, Sendable {
    let isSecure: Bool
    /// In lower case; an IPv6 address without brackets.
    let host: String
    let port: Int

    /// Checks the parts of a URL that decide where a request goes.
    init(_ url: URL) throws(HTTPError) {
        switch url.scheme?.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        case let scheme:
            let found = scheme.map { "\"\($0)\"" } ?? "missing"
            throw HTTPError(
                code: .unsupportedURL, message: "The scheme is \(found); use an absolute http or https URL.", url: url)
        }
        guard url.user == nil, url.password == nil else {
            throw HTTPError(
                code: .invalidRequest,
                message: "The URL carries a user name or password, which leak into logs and keys; "
                    + "send an Authorization header instead.")
        }
        guard var host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else {
            throw HTTPError(code: .unsupportedURL, message: "The URL has no host.", url: url)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        // What libcurl will read must be what was checked: parsers differ about escapes, so none may be there.
        let written = host.contains(":") ? "[\(host)]" : host
        let scheme = isSecure ? "https" : "http"
        guard Self.isHost(host), url.absoluteString.lowercased().hasPrefix("\(scheme)://\(written)") else {
            throw HTTPError(
                code: .invalidRequest,
                message: "The host \"\(host)\" is neither a name nor an address that can be looked up; "
                    + "write an internationalised name in its ASCII form (xn--…).", url: url)
        }
        self.host = host
        port = url.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw HTTPError(code: .invalidRequest, message: "The port \(port) is not within 1 … 65535.", url: url)
        }
    }

    /// The address in the URL, if its host is one as it stands.
    var literalAddress: IPAddress? {
        IPAddress(host)
    }

    /// Letters, digits, dots, hyphens and underscores, or an IPv6 address without zone.
    private static func isHost(_ host: String) -> Bool {
        if host.contains(":") { return IPAddress(host) != nil }
        return host.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}
