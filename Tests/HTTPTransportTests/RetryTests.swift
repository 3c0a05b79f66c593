// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// On an executor and a clock that only the test moves.
@Suite(.timeLimit(.minutes(1)))
struct RetryTests {
    private let sending = SeededSending(seed: 1)
    private var clock: ManualClock { sending.clock }
    private var stub: StubLoader { sending.stub }

    private func loader(
        fraction: Double = 1, date: Date = .distantPast, _ change: (inout RetryPolicy) -> Void = { _ in },
        ready: @escaping @Sendable () async throws -> Void = {}
    ) -> RetryingLoader {
        var policy = RetryPolicy()
        change(&policy)
        return RetryingLoader(stub, policy: policy, clock: clock, fraction: { fraction }, date: { date }, ready: ready)
    }

    @Test func `a transient failure is tried again after growing delays, and the last outcome is final`() {
        stub.respond(to: "/x", with: .status(503), .failure(.connectionLost), .ok([1]))
        let probe = sending.send(loader())
        expectEqual(stub.requestCount, 1)
        sending.advance(.milliseconds(499))
        expectEqual(stub.requestCount, 1)
        sending.advance(.milliseconds(1))
        expectEqual(stub.requestCount, 2)
        sending.advance(.milliseconds(999))
        expectEqual(stub.requestCount, 2)
        sending.advance(.milliseconds(1))
        expectEqual(probe.value?.status, 200)
        expectEqual(probe.value?.metrics.attemptCount, 3)
        // The attempts are used up.
        stub.respond(to: "/x", with: .status(503))
        let response = sending.send(loader(fraction: 0))
        expectEqual(response.value?.status, 503)
        expectEqual(stub.requestCount, 6)
        stub.respond(to: "/x", with: .failure(.cannotConnect))
        let failure = sending.send(loader(fraction: 0) { $0.maximumAttempts = 2 })
        expectEqual((failure.error as? HTTPError)?.code, .cannotConnect)
        expectEqual(stub.requestCount, 8)
    }

    @Test func `a refused attempt has given its connection back while the next one waits`() async throws {
        let large = [UInt8](repeating: 1, count: 4 << 20)
        try await withOriginServer { origin in
            let refusal = "HTTP/1.1 503 X\r\nContent-Length: \(large.count)\r\n\r\n"
            origin.respond(to: "/x", inTurn: .verbatim(Array(refusal.utf8) + large), .ok([1]))
            let client = HTTPClient(configuration: .loopback { $0.maximumConnectionsPerHost = 1 })
            let clock = ManualClock()
            // One that keeps its answers, as for a log.
            let kept = Journal<HTTPResponse>()
            let keeping = ClosureLoader { request in
                let response = try await client.send(request)
                kept.write(response)
                return response
            }
            let loader = RetryingLoader(keeping, clock: clock, fraction: { 1 })
            let request = HTTPRequest(url: origin.url("/x"))
            async let response = loader.send(request)
            while clock.sleepers == 0 { await Task.yield() }
            // The end of the body is a message to the event loop.
            var looks = 0
            while looks < 100_000, await client.transferCount > 0 {
                await Task.yield()
                looks += 1
            }
            let count = await client.transferCount
            expectEqual(count, 0)
            clock.advance(by: .seconds(60))
            let status = try await response.status
            expectEqual(status, 200)
            await client.shutdown()
        }
    }

    @Test func `what would not help or is not idempotent is not tried again`() {
        stub.respond(to: "/x", with: .status(404))
        expectEqual(sending.send(loader()).value?.status, 404)
        stub.respond(to: "/x", with: .failure(.certificateExpired))
        expect(sending.send(loader()).error != nil)
        stub.respond(to: "/x", with: .failure(CancellationError()))
        expect(sending.send(loader()).wasCancelled)
        stub.respond(to: "/x", with: .status(503))
        expectEqual(sending.send(loader(), "POST").value?.status, 503)
        expectEqual(stub.requestCount, 4)
        expectEqual(clock.sleepers, 0)
        // And all of these are.
        func isTriedAgain(_ failure: StubReply, _ method: String = "GET") -> Bool {
            let stub = StubLoader()
            stub.respond(to: "/x", with: failure, .ok([]))
            return sending.send(RetryingLoader(stub, clock: clock, fraction: { 0 }), method).value?.status == 200
        }
        for status in [408, 429, 500, 502, 503, 504] { expect(isTriedAgain(.status(status)), "\(status)") }
        for code in [HTTPError.Code.cannotConnect, .cannotResolveHost, .connectionLost] {
            expect(isTriedAgain(.failure(code)), "\(code)")
        }
        for method in ["HEAD", "OPTIONS", "PUT", "DELETE"] { expect(isTriedAgain(.status(503), method), "\(method)") }
    }

    @Test func `an origin is obeyed up to a limit, also where its status is an error`() throws {
        let status = HTTPError.Response(
            status: 503, headers: ["Retry-After": "7"], url: URL(string: "http://a/")!, beginning: [])
        let error = HTTPError(code: .unacceptableStatus, message: "", response: status)
        let refusal = StubReply.status(429, headers: ["Retry-After": "60"])
        stub.respond(to: "/x", with: .failure(error), .ok([]), refusal, .ok([]))
        let probe = sending.send(loader())
        sending.advance(.seconds(6))
        expect(probe.isRunning)
        sending.advance(.seconds(1))
        expectEqual(probe.value?.status, 200)
        let patient = sending.send(loader())
        sending.advance(.milliseconds(59_999))
        expect(patient.isRunning)
        sending.advance(.milliseconds(1))
        expectEqual(patient.value?.status, 200)
        stub.respond(to: "/x", with: .status(429, headers: ["Retry-After": "61"]))
        expectEqual(sending.send(loader()).value?.status, 429)
    }

    @Test func `a delay never exceeds its limit, and Retry-After is read in both forms`() {
        var policy = RetryPolicy()
        policy.maximumDelay = .seconds(3)
        let delays = [1, 2, 3, 4, 60, Int.max].map { policy.delay(after: $0, fraction: 1) }
        expectEqual(delays, [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3), .seconds(3)])
        expectEqual(policy.delay(after: 3, fraction: 0.25), .milliseconds(500))
        expectEqual(policy.delay(after: 1, fraction: -5), .zero)
        let now = Date(timeIntervalSince1970: 1_000)
        for (field, seconds) in [
            ("5", 5.0), ("0", 0), ("Thu, 01 Jan 1970 00:16:50 GMT", 10), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("99999999999999999999999", 31_536_000), ("soon", nil), ("-1", nil), ("", nil), ("1.5", nil),
        ] as [(String, Double?)] {
            expectEqual(RetryPolicy.retryAfter(field, now: now), seconds.map { .seconds($0) }, "\(field)")
        }
    }

    @Test func `a host that fails uses up its retries and another host has its own`() {
        stub.respond(to: "/x", with: .status(503))
        let loader = loader(fraction: 0) { $0.retriesPerHost = 3 }
        for _ in 0..<10 { _ = sending.send(loader) }
        expectEqual(stub.requestCount, 13)
        _ = sending.send(loader, host: "b")
        expectEqual(stub.requestCount, 16)
        _ = sending.send(loader, host: "B")
        expectEqual(stub.requestCount, 18)
        // Ten successes pay for one retry.
        stub.respond(to: "/x", with: .ok([]))
        for _ in 0..<10 { _ = sending.send(loader) }
        stub.respond(to: "/x", with: .status(503))
        for _ in 0..<2 { _ = sending.send(loader) }
        expectEqual(stub.requestCount, 18 + 10 + 3)
    }

    @Test func `a budget for many hosts is bounded in bytes and the host that took longest ago has all again`() {
        var budget = RetryBudget()
        func take(_ host: String) -> Bool { budget.take(host, capacity: 1) }
        expectAll(take("first"), !take("first"))
        for host in 0..<40_000 { expect(take("\(host)")) }
        expectAll(budget.spent.byteCount <= 2 << 20, budget.spent.byteCount > 1 << 20)
        expectAll(!take("39999"), take("first"))
        let count = budget.spent.count
        for _ in 0..<10 { budget.give("first", capacity: 1) }
        expectEqual(budget.spent.count, count - 1)
        // Ten tenths are one, and nine are none.
        var one = RetryBudget()
        expect(one.take("a", capacity: 1))
        for tenth in 1...10 {
            expect(!one.take("a", capacity: 1), "\(tenth)")
            one.give("a", capacity: 1)
        }
        expect(one.take("a", capacity: 1))
        var none = RetryBudget()
        let answers = [none.take("a", capacity: 0), none.take("a", capacity: .max)]
        expectEqual(answers, [false, true])
    }

    @Test func `a delay ends with its task and what a condition throws ends the request`() {
        struct NotReady: Error {}
        stub.respond(to: "/x", with: .status(503))
        let probe = sending.send(loader())
        probe.cancel()
        sending.executor.drain()
        expect(probe.wasCancelled)
        expectEqual(clock.sleepers, 0)
        let gate = Gate()
        let waiting = sending.send(loader(fraction: 0, ready: { await gate.pass() }))
        expectEqual(stub.requestCount, 2)
        gate.open()
        sending.executor.drain()
        expectEqual(waiting.value?.status, 503)
        expect(sending.send(loader(fraction: 0, ready: { throw NotReady() })).error is NotReady)
    }

    @Test func `what waits by itself gives its turn to another meanwhile`() {
        /// Counts those that wait now, and those that have waited.
        final class Turns: TurnGiving {
            let counts = Mutex((present: 0, all: 0))

            func withoutTurn(_ wait: @Sendable () async throws -> Void) async throws {
                counts.withLock { $0 = ($0.present + 1, $0.all + 1) }
                defer { counts.withLock { $0.present -= 1 } }
                try await wait()
            }
        }
        stub.respond(to: "/x", with: .status(503), .ok([]))
        let limited = RateLimitingLoader(
            StubLoader { _, _ in .ok([]) }, perHost: HTTPRateLimit(1, per: .seconds(1)), clock: clock)
        _ = sending.send(limited)
        for loader in [limited, loader()] as [any HTTPLoading] {
            let turns = Turns()
            let probe = RequestTurn.$giver.withValue(turns) { sending.send(loader) }
            expectEqual(turns.counts.withLock { [$0.present, $0.all] }, [1, 1])
            sending.advance(.seconds(1))
            expectEqual(probe.value?.status, 200)
            expectEqual(turns.counts.withLock { [$0.present, $0.all] }, [0, 1])
        }
    }
}
