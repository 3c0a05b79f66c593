#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where the proxy of a client is.
struct Proxy: Sendable {
    /// In lower case; an IPv6 address without brackets.
    let host: String
    let port: Int

    /// The schemes that leave names to the proxy, with libcurl's ports for them.
    private static let defaultPorts = ["http": 1_080, "https": 443, "socks5h": 1_080]

    /// Checks a proxy that was configured.
    ///
    /// A scheme that would make this machine look up the names of origins is refused with the unknown ones.
    init(_ url: URL) throws(HTTPError) {
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
