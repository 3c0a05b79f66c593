// SPDX-License-Identifier: MIT
extension HTTPServer {
    /// The limits of a server.
    struct Limits: Sendable {
        /// Largest number of connections; further ones wait in the kernel. 1,000 by default.
        var connections = 1_000
        /// Largest number of requests under way; further ones are answered with 503. 500 by default.
        var requests = 500
        /// Largest number of requests on one connection, which then closes. 1,000 by default.
        var requestsPerConnection = 1_000
        /// Longest target of a request, in bytes. 8,192 by default.
        var targetByteCount = 8_192
        /// Largest number of header fields. 64 by default.
        var fields = 64
        /// Longest time from the connection to the end of the first head. 10 s by default.
        var headTimeout = Duration.seconds(10)
        /// Longest time from the end of an answer to the end of the next head. 15 s by default.
        var idleTimeout = Duration.seconds(15)
        /// Longest time that a client takes for one answer. 60 s by default.
        var sendTimeout = Duration.seconds(60)

        /// The part of one of several servers, so that together they keep the limits.
        func shared(by count: Int) -> Limits {
            var limits = self
            limits.connections = max(1, connections / count)
            limits.requests = max(1, requests / count)
            return limits
        }
    }
}
