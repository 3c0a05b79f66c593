// SPDX-License-Identifier: MIT
public import HTTPTransport
import Locks
public import PlatformBasics
import TaskCoordination

/// Sends requests with another loader, and sends them again when they fail.
///
/// Only the head counts: a body that breaks off later is its reader's failure, or that of a ``ResumingLoader``. The
/// time limits of a request apply to each attempt. While it waits, a request holds neither a connection
/// nor a download slot.
public final class RetryingLoader: HTTPLoaderWrapping {
    /// The policy for every request.
    package let policy: RetryPolicy
    /// Sends the requests.
    public let loader: any HTTPLoading
    private let pause: @Sendable (Duration) async throws -> Void
    private let ready: @Sendable () async throws -> Void
    private let fraction: @Sendable () -> Double
    private let date: @Sendable () -> Date
    private let budget = Mutex(RetryBudget())

    /// Creates a loader.
    /// - Parameters:
    ///   - loader: Sends the requests. It is shut down with this one.
    ///   - policy: When and how often to try again.
    ///   - clock: Measures the delays.
    ///   - fraction: A random number from 0 to 1 for each delay.
    ///   - date: The present date, for `Retry-After`.
    ///   - ready: Awaited after each delay, such as ``NetworkMonitor/waitUntilReachable()``. What it throws ends the
    ///     request.
    public init(
        _ loader: any HTTPLoading, policy: RetryPolicy = RetryPolicy(),
        clock: some Clock<Duration> = ContinuousClock(),
        fraction: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        date: @escaping @Sendable () -> Date = { Date() }, ready: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.loader = loader
        self.policy = policy
        self.fraction = fraction
        self.date = date
        self.ready = ready
        pause = { try await clock.sleep(for: $0) }
    }

    /// Sends the request until its outcome is final.
    ///
    /// The last response or error is the outcome when the attempts or the retries of the host are used up.
    /// `HTTPMetrics.attemptCount` has the number of attempts.
    ///
    /// **Cancellation**: ends an attempt and a delay at once.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let host = request.url.host(percentEncoded: false)?.lowercased() ?? ""
        var attempt = 1
        while true {
            let pauseTime: Duration
            do {
                let response = try await loader.send(request)
                guard policy.statuses.contains(response.status),
                    let delay = delay(after: attempt, of: request, host, response.headers["Retry-After"])
                else {
                    if !policy.statuses.contains(response.status) { reward(host) }
                    response.recorder.update { $0.attemptCount = attempt }
                    return response
                }
                response.body.cancel()
                pauseTime = delay
            } catch let error as HTTPError {
                let isTransient =
                    error.response.map { policy.statuses.contains($0.status) } ?? policy.codes.contains(error.code)
                guard isTransient,
                    let delay = delay(after: attempt, of: request, host, error.response?.headers["Retry-After"])
                else { throw error }
                pauseTime = delay
            }
            try await RequestTurn.wait { [pause] in try await pause(pauseTime) }
            try await ready()
            attempt += 1
        }
    }

    /// The delay before the next attempt; `nil` when there is none.
    private func delay(after attempt: Int, of request: HTTPRequest, _ host: String, _ retryAfter: String?) -> Duration?
    {
        guard attempt < policy.maximumAttempts, policy.methods.contains(request.method) else { return nil }
        let asked = retryAfter.flatMap { RetryPolicy.retryAfter($0, now: date()) } ?? .zero
        guard asked <= policy.maximumRetryAfter, budget.withLock({ $0.take(host, capacity: policy.retriesPerHost) })
        else {
            return nil
        }
        return max(asked, policy.delay(after: attempt, fraction: fraction()))
    }

    private func reward(_ host: String) {
        budget.withLock { $0.give(host, capacity: policy.retriesPerHost) }
    }
}

/// The tokens of the hosts that do not have all of them, in tenths. The host that took none for the longest time has
/// all of them again when the table is full.
struct RetryBudget {
    private(set) var spent = BoundedTable<String, Int>(byteLimit: 2 << 20)

    /// Takes a token.
    /// - Returns: Whether there was one.
    mutating func take(_ host: String, capacity: Int) -> Bool {
        let after = (spent[host] ?? 0) + 10
        guard after <= max(0, min(capacity, .max / 100)) * 10 else { return false }
        return spent.store(after, for: host, heapByteCount: HeapSize.of(host))
    }

    /// Gives a tenth of a token back.
    mutating func give(_ host: String, capacity: Int) {
        guard let count = spent[host] else { return }
        if count > 1 {
            spent.store(count - 1, for: host, heapByteCount: HeapSize.of(host))
        } else {
            spent.remove(host)
        }
    }
}
