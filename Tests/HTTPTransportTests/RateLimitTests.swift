// SPDX-License-Identifier: MIT
import Foundation
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1)))
struct RateLimitTests {
    private let executor = SeededExecutor(seed: 5)
    private let clock = ManualClock()
    private let stub = StubLoader()

    init() {
        stub.respond(to: "/x", with: .ok([]))
    }

    private func send(_ loader: any HTTPLoading, _ host: String = "a.example") -> Probe<HTTPResponse> {
        let request = HTTPRequest(url: URL(string: "http://\(host)/x")!)
        let probe = Probe(on: executor) { try await loader.send(request) }
        executor.drain()
        return probe
    }

    private func advance(_ duration: Duration) {
        clock.advance(by: duration)
        executor.drain()
    }

    @Test func `requests beyond the burst come one after the other`() {
        let loader = RateLimitingLoader(stub, perHost: HTTPRateLimit(10, per: .seconds(1), burst: 3), clock: clock)
        let probes = (0..<6).map { _ in send(loader) }
        #expect(stub.requestCount == 3)
        for count in 4...6 {
            advance(.milliseconds(99))
            #expect(stub.requestCount == count - 1)
            advance(.milliseconds(1))
            #expect(stub.requestCount == count)
        }
        #expect(probes.allSatisfy { $0.value?.status == 200 })
        // After a quiet time as many as at first, and no more.
        advance(.seconds(60))
        for _ in 0..<4 { _ = send(loader) }
        #expect(stub.requestCount == 9)
    }

    @Test func `each host has a limit of its own and all have one together`() {
        let loader = RateLimitingLoader(
            stub, perHost: HTTPRateLimit(1, per: .seconds(10)), total: HTTPRateLimit(3, per: .seconds(3)), clock: clock)
        for host in ["a", "A", "b", "c", "d"] { _ = send(loader, "\(host).example") }
        // a, b and c; the second of a waits for its host, d for its turn among all.
        #expect(stub.requestCount == 3)
        advance(.milliseconds(999))
        #expect(stub.requestCount == 3)
        advance(.milliseconds(1))
        #expect(stub.requestCount == 4)
        advance(.milliseconds(8_999))
        #expect(stub.requestCount == 4)
        advance(.milliseconds(1))
        #expect(stub.requestCount == 5)
    }

    @Test func `a turn that is too far away is refused and not taken`() {
        let loader = RateLimitingLoader(
            stub, perHost: HTTPRateLimit(1, per: .seconds(10)), maximumWait: .seconds(10), clock: clock)
        let probes = (0..<4).map { _ in send(loader) }
        #expect(stub.requestCount == 1)
        #expect((probes[2].error as? HTTPError)?.code == .overloaded)
        #expect((probes[3].error as? HTTPError)?.code == .overloaded)
        advance(.seconds(10))
        #expect(probes[1].value?.status == 200)
        advance(.seconds(10))
        #expect(send(loader).value?.status == 200)
    }

    @Test func `a cancelled wait ends at once and its turn is lost`() {
        let loader = RateLimitingLoader(stub, perHost: HTTPRateLimit(1, per: .seconds(10)), clock: clock)
        _ = send(loader)
        let cancelled = send(loader)
        let last = send(loader)
        cancelled.cancel()
        executor.drain()
        #expect(cancelled.error is CancellationError)
        advance(.seconds(10))
        #expect(last.isRunning)
        advance(.seconds(10))
        #expect(last.value?.status == 200)
        #expect(stub.requestCount == 2)
    }

    @Test func `the table of hosts is bounded and extreme limits do not trap`() {
        var table = RateTable()
        let limit = HTTPRateLimit(1, per: .milliseconds(1))
        for index in 0..<5_000 {
            let time = Duration.milliseconds(2 * index)
            let delay = table.turn(of: "\(index)", limit, at: time, upTo: .zero)
            #expect(delay == .zero)
        }
        #expect(table.count <= 1_000)
        for count in [Int.min, 0, .max] {
            let limit = HTTPRateLimit(count, per: .seconds(Int64.max), burst: count)
            for time in [Duration.zero, .seconds(Int64.max)] {
                _ = table.turn(of: "x", limit, at: time, upTo: .seconds(Int64.max))
                _ = table.turn(of: nil, limit, at: time, upTo: .seconds(Int64.max))
            }
        }
    }
}
