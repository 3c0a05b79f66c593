// SPDX-License-Identifier: MIT
public import PlatformBasics

extension HTTPClient {
    /// The limits and policies of a client.
    ///
    /// No limit can be switched off. A value out of range counts as the nearest allowed one; durations are 1 ms to a
    /// day.
    public struct Configuration: Sendable {
        /// Longest time to resolve, connect and shake hands; default 5 s.
        public var connectTimeout = Duration.seconds(5)
        /// Longest time without a byte in either direction, while the reader of the body is reading; default 15 s.
        public var idleTimeout = Duration.seconds(15)
        /// Longest time from `send` to the last byte, redirects, waiting for a slot and a slow reader included; default
        /// 60 s.
        public var totalTimeout = Duration.seconds(60)
        /// Longest time from the end of the request to the first line of the response; default `nil`, which is
        /// ``idleTimeout``.
        public var firstByteTimeout: Duration?
        /// The slowest acceptable body; default `nil`, any that is never idle.
        public var lowSpeedLimit: HTTPLowSpeedLimit?

        /// Largest body in bytes, on the wire and after decompression; default 64 MiB.
        public var maximumBodyByteCount = 64 << 20
        /// Largest number of bytes that a compressed byte may become, checked from 1 MiB on; default 100.
        ///
        /// Text and vector graphics reach about 20, zeros 1,030.
        public var maximumCompressionRatio = 100
        /// Largest header section in bytes, including interim responses; default 64 KiB.
        public var maximumHeaderByteCount = 64 << 10
        /// Largest number of header fields; default 256.
        public var maximumHeaderCount = 256
        /// Longest URL in bytes, also of a redirect; default 8 KiB.
        public var maximumURLByteCount = 8 << 10

        /// Largest number of redirects to follow; 0 returns the redirect itself; default 10.
        public var maximumRedirects = 10
        /// Whether a redirect may lead from https to http; default `false`.
        public var allowsInsecureRedirects = false
        /// The request fields that are sent after a redirect to another origin (scheme, host, port). All others are
        /// dropped.
        ///
        /// By default the fields for content negotiation, ranges, conditions and the body. These are the safe request
        /// fields of the Fetch standard, and the conditional ones: an entity tag that a redirected request stored
        /// belongs to the last origin. Names are compared without case. `Authorization`, `Cookie`, `Cookie2` and
        /// `Proxy-Authorization` are dropped even when they are named here.
        public var headersForOtherOrigins: Set<String> = [
            "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding", "Content-Language",
            "Content-Type", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since",
            "Pragma", "Range", "User-Agent",
        ]

        /// Decides about each redirect; default `nil`: the client follows it as its limits say.
        public var redirectRule: HTTPRedirectRule?

        /// The status codes to return; a response with another one is an error. Default `nil`: every one.
        public var acceptableStatuses: HTTPStatusSet?
        /// The content types to return; a response with another one is an error. Default `nil`: every one.
        public var acceptableContentTypes: HTTPContentTypes?
        /// Answers the challenges of origins (401) and of the proxy (407); default `nil`: the caller gets the response.
        public var authenticator: HTTPClient.Authenticator?
        /// The credential that every request sends to the proxy; default none.
        public var proxyCredential: HTTPCredential?
        /// The cookies that are kept and sent; default `nil`: none.
        public var cookieJar: HTTPCookieJar?

        /// The addresses that the client may connect to; default: the public Internet.
        public var addressPolicy = AddressPolicy.publicInternet
        /// The trusted certificate authorities; default: those of the system.
        public var tls = TLSPolicy.system
        /// The policies of hosts that differ from ``tls``; default none.
        ///
        /// A key is a host, or a domain with `*.` before it for the hosts below. The closest one counts.
        public var tlsForHosts: [String: TLSPolicy] = [:]
        /// An `http`, `https` or `socks5h` proxy; default none. Without a port it is 443 for `https`, else 1080.
        ///
        /// Every request goes through it; the environment is never read, neither for a proxy nor for exceptions. It may
        /// be at any address. It resolves the names itself: ``addressPolicy`` then applies to URLs with literal
        /// addresses only, because the client does not know where the proxy connects to.
        public var proxy: URL?
        /// Whether HTTP/2 is offered over TLS; default `true`.
        public var allowsHTTP2 = true
        /// The `User-Agent` of requests that have none; default `"swift-web-image"`.
        public var userAgent = "swift-web-image"

        /// Largest number of connections in use per origin; default 8.
        ///
        /// One HTTP/2 connection counts once and carries up to 100.
        public var maximumConnectionsPerHost = 8
        /// Largest number of connections in use; default 256.
        ///
        /// At most half of the free descriptors of the process when the client is made, so that some are left for
        /// files.
        public var maximumConnections = 256
        /// Largest number of idle connections kept for reuse; default 64.
        public var maximumIdleConnections = 64
        /// Longest time an idle connection is reused; default 60 s.
        public var idleConnectionLifetime = Duration.seconds(60)
        /// Largest number of requests that wait for a connection; default 10,000.
        public var maximumQueuedRequests = 10_000

        /// Largest number of host names looked up at once, each on a thread of its own; default 8.
        ///
        /// A look-up without an answer keeps its thread for as long as the system tries, also when the requests for the
        /// name have timed out. When this many are stuck, further names wait for a thread.
        public var maximumNameLookups = 8

        /// Creates the default configuration.
        public init() {}
    }
}

extension HTTPClient.Configuration {
    /// Leaves at least half of the free descriptors to other uses; connections and look-ups get at least one each.
    mutating func shareDescriptors(free: Int) {
        maximumConnections = min(max(1, maximumConnections), max(1, free / 2))
        maximumIdleConnections = min(max(1, maximumIdleConnections), maximumConnections)
        maximumNameLookups = min(max(1, maximumNameLookups), max(1, free / 8))
    }
}

extension Duration {
    /// Nanoseconds for a limit: at least a millisecond, at most a day, so that no limit is off and no sum overflows.
    package var clampedNanoseconds: UInt64 {
        let clamped = min(max(self, .milliseconds(1)), .seconds(86_400))
        let (seconds, attoseconds) = clamped.components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
