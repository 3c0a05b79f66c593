// SPDX-License-Identifier: MIT
public import HTTPTransport
import Locks
import PlatformBasics
import TaskCoordination

/// A number of requests in a period of time, of which some may come at once.
public struct HTTPRateLimit: Sendable, Hashable {
    /// The number of requests in a period; at least 1.
    public var requestCount: Int
    /// The period, 1 ms to a day.
    public var period: Duration
    /// The number of requests that may come at once after a quiet time; at least 1.
    public var burst: Int

    /// Creates a limit.
    /// - Parameters:
    ///   - requestCount: The number of requests in a period; at least 1.
    ///   - period: The period, 1 ms to a day.
    ///   - burst: The number of requests at once; by default all of a period.
    public init(_ requestCount: Int, per period: Duration, burst: Int? = nil) {
        self.requestCount = requestCount
        self.period = period
        self.burst = burst ?? requestCount
    }

    /// The time between two requests, in nanoseconds.
    var interval: UInt64 { period.clampedNanoseconds / UInt64(max(1, requestCount)) }
    /// How far the turns may be ahead of the time, in nanoseconds.
    var tolerance: UInt64 {
        let (product, overflows) = interval.multipliedReportingOverflow(by: UInt64(max(1, burst) - 1))
        return overflows ? .max / 4 : min(product, .max / 4)
    }
}

/// Sends requests with another loader, no more often than a limit for each host and one for all of them allow.
///
/// A request that comes too early waits for its turn, first come, first served, and holds neither a connection nor a
/// download slot meanwhile.
public final class RateLimitingLoader: HTTPLoaderWrapping {
    /// Sends the requests.
    public let loader: any HTTPLoading
    private let perHost: HTTPRateLimit?
    private let total: HTTPRateLimit?
    private let maximumWait: Duration
    private let elapsed: @Sendable () -> Duration
    private let pause: @Sendable (Duration) async throws -> Void
    private let table = Mutex(RateTable())

    /// Creates a loader.
    /// - Parameters:
    ///   - loader: Sends the requests. It is shut down with this one.
    ///   - perHost: The limit for each host; default none.
    ///   - total: The limit for all hosts together; default none.
    ///   - maximumWait: The longest wait, at most a year; default 60 s. A request whose turn comes later is refused at
    ///     once.
    ///   - clock: Measures the time.
    public init<Time: Clock>(
        _ loader: any HTTPLoading, perHost: HTTPRateLimit? = nil, total: HTTPRateLimit? = nil,
        maximumWait: Duration = .seconds(60), clock: Time = ContinuousClock()
    ) where Time.Duration == Duration {
        self.loader = loader
        self.perHost = perHost
        self.total = total
        self.maximumWait = min(max(.zero, maximumWait), .seconds(31_536_000))
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        pause = { try await clock.sleep(for: $0) }
    }

    /// Sends the request when its turn has come.
    ///
    /// **Cancellation**: ends the wait at once. The turn is lost, so that the limits hold in every case.
    /// - Throws: `HTTPError` with code `.overloaded`, and what the other loader throws.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let host = request.url.host(percentEncoded: false)?.lowercased() ?? ""
        // One after the other: a request that waits for its host takes no turn from the others.
        let waited = try await wait(for: perHost, host, upTo: maximumWait, request)
        _ = try await wait(for: total, nil, upTo: maximumWait - waited, request)
        return try await loader.send(request)
    }

    /// Waits for a turn.
    /// - Returns: How long that took.
    private func wait(
        for limit: HTTPRateLimit?, _ host: String?, upTo longest: Duration, _ request: HTTPRequest
    ) async throws -> Duration {
        guard let limit else { return .zero }
        guard let delay = table.withLock({ $0.turn(of: host, limit, at: elapsed(), upTo: longest) }) else {
            throw HTTPError(
                code: .overloaded, message: "The rate limit leaves no turn within \(maximumWait); try again later.",
                url: request.url)
        }
        if delay > .zero { try await RequestTurn.wait { [pause] in try await pause(delay) } }
        return delay
    }
}

/// The turns that were given: a state without time and threads of its own.
///
/// Each limit is one number, the time at which a steady stream of its requests would be due next ("generic cell rate").
struct RateTable {
    private var hosts = BoundedTable<String, UInt64>(byteLimit: 2 << 20)
    private var all: UInt64 = 0

    /// The number of hosts that are remembered.
    var count: Int { hosts.count }

    /// The bytes of what is remembered.
    var byteCount: Int { hosts.byteCount }

    /// Gives a turn to a request.
    /// - Parameter host: `nil` for the turns of all hosts together.
    /// - Returns: How long it must wait; `nil` when that is too long, and no turn is given.
    /// - Complexity: O(1) amortised.
    mutating func turn(of host: String?, _ limit: HTTPRateLimit, at time: Duration, upTo longest: Duration) -> Duration?
    {
        let now = max(.zero, time).nanosecondCount
        let due = host.map { hosts[$0] ?? 0 } ?? all
        let start = max(limit.start(after: due), now)
        let delay = Duration.nanoseconds(Int64(clamping: start - now))
        guard delay <= longest else { return nil }
        let next = max(due, start) + limit.interval
        guard let host else {
            all = next
            return delay
        }
        // More leave than come: what is over goes, and a turn in the future goes behind what came later.
        for _ in 0..<2 {
            guard let oldest = hosts.oldest else { break }
            if oldest.value > now { _ = hosts.use(oldest.key) } else { hosts.removeOldest() }
        }
        hosts.store(next, for: host, heapByteCount: HeapSize.of(host))
        return delay
    }
}

extension HTTPRateLimit {
    /// The earliest begin of a request when the next of a steady stream is due at this time.
    fileprivate func start(after due: UInt64) -> UInt64 { due > tolerance ? due - tolerance : 0 }
}

extension Duration {
    /// Whole nanoseconds, at most those of 100 years.
    fileprivate var nanosecondCount: UInt64 {
        let (seconds, attoseconds) = min(self, .seconds(3_153_600_000)).components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
