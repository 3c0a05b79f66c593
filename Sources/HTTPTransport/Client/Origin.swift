// SPDX-License-Identifier: MIT
package import PlatformBasics

/// Scheme, host and port: the scope of credentials and the target of connections.
/// - Source: RFC 9110, section 4.3.1.
package struct Origin: Hashable, Sendable {
    package let isSecure: Bool
    /// In lower case; an IPv6 address without brackets. At most 255 bytes, so that tables of origins are small.
    package let host: String
    package let port: Int

    /// Creates an origin after a check of the parts of a URL that decide where a request goes.
    package init(_ url: URL) throws(HTTPError) {
        if let plain = Self(plain: url.absoluteString) { self = plain } else { try self.init(checking: url) }
    }

    /// The usual case, read in one pass: a small scheme, a host in small letters, a port or none, and a path, a query,
    /// a fragment or the end. `nil` for every other, which is for the checks.
    init?(plain url: String) {
        isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { return nil }
        let authority = url.utf8.dropFirst(isSecure ? 8 : 7)
        let name = authority.prefix(while: Self.isNameByte)
        var rest = authority[name.endIndex...]
        var number = isSecure ? 443 : 80
        if rest.first == UInt8(ascii: ":") {
            let digits = rest.dropFirst().prefix(while: \.isASCIIDigit)
            guard let written = Int(Substring(digits)), (1...65_535).contains(written) else { return nil }
            number = written
            rest = rest[digits.endIndex...]
        }
        guard !name.isEmpty, let host = String(name), host.utf8.count <= Self.longestHost else { return nil }
        switch rest.first {
        case nil, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break
        default: return nil
        }
        self.host = host
        port = number
    }

    /// Every case, by the parts that Foundation finds.
    init(checking url: URL) throws(HTTPError) {
        switch url.scheme?.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        case let scheme:
            let found = scheme.map { "\"\($0)\"" } ?? "missing"
            let other =
                ["file": ", or a FileLoader for files", "data": ", or a DataURLLoader for data"][scheme ?? ""] ?? ""
            throw HTTPError(
                code: .unsupportedURL, message: "The scheme is \(found).",
                advice: "Use an absolute http or https URL\(other).", url: url)
        }
        guard url.user == nil, url.password == nil else {
            throw HTTPError(
                code: .invalidRequest,
                message: "The URL carries a user name or password, which leak into logs and keys.",
                advice: "Send an Authorization header instead.")
        }
        guard var host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty else {
            throw HTTPError(code: .unsupportedURL, message: "The URL has no host.", url: url)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        // libcurl must read the host that was checked. Parsers differ about escapes, so none are allowed.
        let written = host.contains(":") ? "[\(host)]" : host
        let scheme = isSecure ? "https" : "http"
        guard Self.isHost(host), url.absoluteString.lowercased().hasPrefix("\(scheme)://\(written)") else {
            throw .invalidRequest(
                "The host \"\(host)\" is neither a name nor an address that can be looked up; "
                    + "write an internationalised name in its ASCII form (xn--…).", at: url)
        }
        self.host = host
        port = url.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw .invalidRequest("The port \(port) is not within 1 … 65535.", at: url)
        }
    }

    /// The address in the URL, if its host is a literal address.
    var literalAddress: IPAddress? {
        IPAddress(host)
    }

    /// Up to 255 letters, digits, dots, hyphens and underscores, or an IPv6 address without zone.
    private static func isHost(_ host: String) -> Bool {
        if host.contains(":") { return IPAddress(host) != nil }
        return host.utf8.count <= longestHost && host.utf8.allSatisfy(isNameByte)
    }

    private static let longestHost = 255

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }
}

extension StringProtocol {
    /// A host, and the patterns of the domains that it is in, such as `*.example.com`: the closest one first.
    var withDomainPatterns: [String] {
        [String(self)] + indices.filter { self[$0] == "." }.map { "*" + self[$0...] }
    }
}

extension URL {
    /// The text without the fragment of an `http` or `https` URL, which no origin receives.
    package var textWithoutFragment: String {
        var text = absoluteString
        // In the bytes themselves: a search in their view costs five times as much, for every request that is made.
        guard let length = text.withUTF8({ unsafe $0.firstIndex(of: UInt8(ascii: "#")) }), text.hasPrefix("http") else {
            return text
        }
        return String(decoding: text.utf8.prefix(length), as: UTF8.self)
    }
}

/// The address of a client's proxy.
struct Proxy: Sendable {
    /// In lower case; an IPv6 address without brackets.
    package let host: String
    package let port: Int

    /// The schemes that leave names to the proxy, with libcurl's ports for them.
    private static let defaultPorts = ["http": 1_080, "https": 443, "socks5h": 1_080]

    /// Creates a proxy after a check of the configured URL.
    ///
    /// Schemes with which this machine would look up the names of origins are refused like unknown ones.
    package init(_ url: URL) throws(HTTPError) {
        guard let port = url.scheme.flatMap({ Self.defaultPorts[$0.lowercased()] }),
            var host = url.host(percentEncoded: false)?.lowercased(), !host.isEmpty
        else {
            throw HTTPError(
                code: .unsupportedURL,
                message:
                    "The proxy of the client is no http, https or socks5h URL with a host; correct the configuration.")
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        self.host = host
        self.port = url.port ?? port
    }
}
