// SPDX-License-Identifier: MIT
extension OriginServer {
    /// The addresses and the limits of a server.
    public struct Configuration: Sendable {
        /// Whether the server listens on `::1` as well, on the same port.
        ///
        /// Default: `false`.
        package var listensOnIPv6 = false
        /// The port; 0 lets the kernel choose a free one.
        ///
        /// Default: 0.
        public var port: UInt16 = 0
        /// Largest request line with header fields, in bytes; more is answered with 431.
        ///
        /// Default: 64 KiB.
        package var maximumHeadByteCount = 64 * 1024
        /// Largest request body, in bytes; more is answered with 413.
        ///
        /// Default: 64 MiB.
        public var maximumBodyByteCount = 64 * 1024 * 1024
        /// Largest number of open connections, each of which has a thread.
        ///
        /// At the limit, and when the process has no descriptor left, the connection that has waited longest for a
        /// request, or for the rest of one, gives way to a new one; when there is none, the one whose client has taken
        /// longest for a reply, from one second on; when there is none, new ones wait. Those that give way may overlap
        /// with their successors for the moment that their end takes.
        ///
        /// Default: 10,000.
        public var maximumConnectionCount = 10_000
        /// Longest time from the connection, or from the end of a reply, to the end of the next request.
        ///
        /// Default: `nil`, for any.
        public var requestTimeout: Duration?
        /// Longest time from the end of a request to the end of its reply; the connection then ends.
        ///
        /// Default: `nil`, for any.
        public var replyTimeout: Duration?
        /// How many bytes of each body are kept in ``OriginRequest/body``.
        ///
        /// Default: 1 MiB.
        public var maximumRecordedBodyByteCount = 1024 * 1024
        /// How many requests are kept in ``OriginServer/requests``, and how many different paths are counted.
        ///
        /// Default: 100,000.
        public var maximumRecordedRequestCount = 100_000
        /// The stack of each connection's thread, in bytes; handlers run on it.
        ///
        /// Default: 512 KiB, of which the system provides what is used.
        package var stackByteCount = 512 * 1024
        /// Holds each connection after it was accepted, before its first byte is read and before TLS is agreed on.
        ///
        /// Default: `nil`.
        package var connectionGate: OriginGate?
        /// What is sent on each connection as soon as it is accepted, before TLS and before a request.
        ///
        /// Default: nothing.
        public var greeting: [UInt8] = []

        /// The newest version of TLS that the server speaks.
        ///
        /// It speaks 1.2 as well when this is newer, and only this one when it is older. Default: 1.3.
        package var newestTLSVersion = TLSVersion.v13
        /// Whether a client must present a certificate of the server's own root, such as the server's certificate.
        ///
        /// Default: `false`.
        package var requiresClientCertificate = false

        /// Creates the default configuration.
        public init() {}
    }

    /// A version of TLS, numbered as on the wire.
    package enum TLSVersion: Int, Sendable, CaseIterable {
        /// TLS 1.0, withdrawn.
        case v10 = 0x0301
        /// TLS 1.1, withdrawn.
        case v11
        /// TLS 1.2.
        case v12
        /// TLS 1.3.
        case v13
    }
}
