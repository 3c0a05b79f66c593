#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension HTTPClient {
    /// The limits and policies of a client.
    ///
    /// Every limit is on; values below 1 (durations: below 1 ms, above a day) are moved to the nearest sensible one.
    public struct Configuration: Sendable {
        /// Longest time to resolve, connect and shake hands; default 5 s.
        public var connectTimeout = Duration.seconds(5)
        /// Longest time without a byte in either direction, while the reader of the body is reading; default 15 s.
        public var idleTimeout = Duration.seconds(15)
        /// Longest time from `send` to the last byte, redirects, waiting for a slot and a slow reader included; default 60 s.
        public var totalTimeout = Duration.seconds(60)

        /// Largest body in bytes, counted after decompression; default 64 MiB.
        public var maximumBodyByteCount = 64 << 20
        /// Largest header section in bytes, interim answers included; default 64 KiB.
        public var maximumHeaderByteCount = 64 << 10
        /// Most header fields; default 256.
        public var maximumHeaderCount = 256
        /// Longest URL in bytes, also of a redirect; default 8 KiB.
        public var maximumURLByteCount = 8 << 10

        /// Most redirects to follow; 0 returns the redirect itself; default 10.
        public var maximumRedirects = 10
        /// Whether a redirect may lead from https to http; default `false`.
        public var allowsInsecureRedirects = false
        /// Request fields that are not sent on to another origin (scheme, host, port) by a redirect, beside
        /// `Authorization`, `Cookie` and `Proxy-Authorization`; default: the usual names of keys and tokens.
        public var credentialHeaders: Set<String> = [
            "X-API-Key", "API-Key", "X-Auth-Token", "X-Access-Token", "X-CSRF-Token", "X-Amz-Security-Token",
            "X-Goog-Api-Key", "Private-Token",
        ]

        /// Which addresses may be talked to; default: the public Internet.
        public var addressPolicy = AddressPolicy.publicInternet
        /// Whose certificates are believed; default: those of the system.
        public var tls = TLSPolicy.system
        /// An `http`, `https` or `socks5h` proxy; default none; the environment is never asked.
        ///
        /// A proxy resolves the names itself: behind one, ``addressPolicy`` can judge only URLs with literal addresses.
        public var proxy: URL?
        /// Whether HTTP/2 is offered over TLS; default `true`.
        public var allowsHTTP2 = true
        /// The `User-Agent` of requests which bring none; default `"swift-web-image"`.
        public var userAgent = "swift-web-image"

        /// Most connections in use per origin; default 8.
        ///
        /// One HTTP/2 connection counts once and carries up to 100.
        public var maximumConnectionsPerHost = 8
        /// Most connections in use; default 256.
        public var maximumConnections = 256
        /// Most idle connections kept for reuse; default 64.
        public var maximumIdleConnections = 64
        /// Longest time an idle connection is reused; default 60 s.
        public var idleConnectionLifetime = Duration.seconds(60)
        /// Most requests that may wait for a connection; default 10 000.
        public var maximumQueuedRequests = 10_000

        /// Makes the default configuration.
        public init() {}
    }
}
