// SPDX-License-Identifier: MIT
import WebImage

extension HTTPServer {
    /// The limits of a server.
    struct Limits: Sendable {
        /// Largest number of connections. The oldest idle one gives way to a new one; when none is idle, new ones wait
        /// in the kernel. 1,000 by default.
        var connections = 1_000
        /// Largest number of connections of one address; further ones are closed. No limit by default, because the
        /// clients of a proxy share its address.
        var connectionsPerAddress = Int.max
        /// Largest number of requests whose answers are being made; further ones are answered with 503. 500 by default.
        var requests = 500
        /// Largest number of requests on one connection, which then closes. 1,000 by default.
        var requestsPerConnection = 1_000
        /// Longest target of a request, in bytes. 8,192 by default.
        var targetByteCount = 8_192
        /// Largest number of header fields. 64 by default.
        var fields = 64
        /// Most bytes of answers that wait for their readers; beyond it the slowest reader is cut off. By default 7.5 %
        /// of the memory that the process may use, at most 384 MB.
        var waitingByteCount = MemoryLimits().maximumCost / 2
        /// Fewest bytes a second of a head, and of an answer that a client has not taken. 240 by default; 0 for any.
        var byteRate = 240
        /// The time before the rate counts. 5 s by default.
        var rateGrace = Duration.seconds(5)
        /// Longest time from the connection to the end of the first head. 10 s by default.
        var headTimeout = Duration.seconds(10)
        /// Longest time from the end of an answer to the end of the next head. 15 s by default.
        var idleTimeout = Duration.seconds(15)
        /// Longest time to the end of the head of a connection that has sent no request yet when the server drains, or
        /// a part of one. 1 s by default.
        var lastHeadTimeout = Duration.seconds(1)
        /// Longest time that a client takes for one answer. 60 s by default.
        var sendTimeout = Duration.seconds(60)

        /// Largest head of a request, in bytes: the longest target, and 8,192 for its fields.
        var headByteCount: Int { targetByteCount + 8_192 }

        /// The part of one of several servers, so that together they keep the limits.
        func shared(by count: Int) -> Limits {
            var limits = self
            limits.connections = max(1, connections / count)
            limits.requests = max(1, requests / count)
            limits.waitingByteCount = max(1, waitingByteCount / count)
            return limits
        }
    }
}
