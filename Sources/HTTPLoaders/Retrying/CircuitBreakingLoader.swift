// SPDX-License-Identifier: MIT
public import HTTPTransport
import Locks
import PlatformBasics
import TaskCoordination

/// Sends requests with another loader, and spares origins that do nothing but fail.
///
/// After some failures in a row, requests to the origin fail at once with code `.circuitOpen`. After a while one
/// request goes through; its success lets the others through again.
public final class CircuitBreakingLoader: HTTPLoaderWrapping {
    /// Sends the requests.
    public let loader: any HTTPLoading
    private let maximumFailureCount: Int
    private let openTime: Duration
    /// The time since this loader was made.
    private let elapsed: @Sendable () -> Duration
    private let table = Mutex(CircuitTable())

    /// Creates a loader.
    /// - Parameters:
    ///   - loader: Sends the requests. It is shut down with this one.
    ///   - maximumFailureCount: The number of failures in a row that open the circuit of an origin; at least 1.
    ///   - openTime: How long it stays open before one request goes through.
    ///   - clock: Measures the time.
    public init<Time: Clock>(
        _ loader: any HTTPLoading, maximumFailureCount: Int = 10, openTime: Duration = .seconds(10),
        clock: Time = ContinuousClock()
    ) where Time.Duration == Duration {
        self.loader = loader
        self.maximumFailureCount = max(1, maximumFailureCount)
        self.openTime = openTime
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// Sends the request unless the circuit of its origin is open.
    ///
    /// Failures are errors of names, connections and time limits, and the statuses 500 … 599. A cancelled request is
    /// neither a success nor a failure.
    /// - Throws: `HTTPError` with code `.circuitOpen`, and what the other loader throws.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let origin = try? Origin(request.url) else { return try await loader.send(request) }
        guard let ticket = table.withLock({ $0.enter(origin, at: elapsed()) }) else {
            throw HTTPError(
                code: .circuitOpen,
                message:
                    "\(origin.host) has failed \(maximumFailureCount) times in a row and is not asked for \(openTime).",
                url: request.url)
        }
        do {
            let response = try await loader.send(request)
            leave(ticket, (500...599).contains(response.status) ? .failure : .success)
            return response
        } catch let error as HTTPError {
            let status = error.response?.status
            let isFailure = status.map { (500...599).contains($0) } ?? Self.failures.contains(error.code)
            leave(ticket, isFailure ? .failure : .success)
            throw error
        } catch {
            leave(ticket, .unknown)
            throw error
        }
    }

    private func leave(_ ticket: CircuitTable.Ticket, _ outcome: CircuitTable.Outcome) {
        table.withLock { $0.leave(ticket, outcome, limit: maximumFailureCount, openTime: openTime, at: elapsed()) }
    }

    private static let failures: Set<HTTPError.Code> = [
        .cannotConnect, .cannotResolveHost, .connectionLost, .timedOut, .tlsFailed, .invalidResponse,
    ]
}

/// The origins that fail: a state without time and threads of its own. Those that were neither asked nor failed for the
/// longest time leave first.
struct CircuitTable {
    enum Outcome {
        case success
        case failure
        /// Says nothing about the origin.
        case unknown
    }

    struct Ticket {
        let origin: Origin
        /// Whether this is the one request through an open circuit.
        let isProbe: Bool
    }

    private struct Circuit {
        var failures = 0
        var openUntil: Duration?
        var isProbing = false
    }

    private var circuits = BoundedTable<Origin, Circuit>(byteLimit: 2 << 20)

    /// The number of origins that are remembered.
    var count: Int { circuits.count }

    /// The bytes of what is remembered.
    var byteCount: Int { circuits.byteCount }

    /// Lets a request through; `nil` when the circuit is open.
    mutating func enter(_ origin: Origin, at now: Duration) -> Ticket? {
        guard var circuit = circuits.use(origin), let until = circuit.openUntil else {
            return Ticket(origin: origin, isProbe: false)
        }
        guard now >= until, !circuit.isProbing else { return nil }
        circuit.isProbing = true
        keep(circuit, for: origin)
        return Ticket(origin: origin, isProbe: true)
    }

    /// Notes how a request ended.
    mutating func leave(_ ticket: Ticket, _ outcome: Outcome, limit: Int, openTime: Duration, at now: Duration) {
        let origin = ticket.origin
        switch outcome {
        case .success: circuits.remove(origin)
        case .unknown:
            guard ticket.isProbe, var circuit = circuits[origin] else { return }
            circuit.isProbing = false
            keep(circuit, for: origin)
        case .failure:
            var circuit = circuits[origin] ?? Circuit()
            circuit.failures += 1
            // A request that was sent before the circuit opened neither prolongs it nor ends the probe.
            if ticket.isProbe || circuit.openUntil == nil, ticket.isProbe || circuit.failures >= limit {
                circuit.openUntil = now + openTime
                circuit.isProbing = false
            }
            keep(circuit, for: origin)
        }
    }

    private mutating func keep(_ circuit: Circuit, for origin: Origin) {
        circuits.store(circuit, for: origin, heapByteCount: HeapSize.of(origin.host))
    }
}
