// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1)))
struct RateLimitTests {
    private let sending = SeededSending(seed: 5)
    private var clock: ManualClock { sending.clock }
    private var stub: StubLoader { sending.stub }

    init() {
        stub.respond(to: "/x", with: .ok([]))
    }

    @Test func `requests beyond the burst come one after the other`() {
        let loader = RateLimitingLoader(stub, perHost: HTTPRateLimit(10, per: .seconds(1), burst: 3), clock: clock)
        let probes = (0..<6).map { _ in sending.send(loader) }
        expectEqual(stub.requestCount, 3)
        for count in 4...6 {
            sending.advance(.milliseconds(99))
            expectEqual(stub.requestCount, count - 1)
            sending.advance(.milliseconds(1))
            expectEqual(stub.requestCount, count)
        }
        expect(probes.allSatisfy { $0.value?.status == 200 })
        // After a quiet time as many as at first, and no more.
        sending.advance(.seconds(60))
        for _ in 0..<4 { _ = sending.send(loader) }
        expectEqual(stub.requestCount, 9)
    }

    @Test func `each host has a limit of its own and all have one together`() {
        let loader = RateLimitingLoader(
            stub, perHost: HTTPRateLimit(1, per: .seconds(10)), total: HTTPRateLimit(3, per: .seconds(3)), clock: clock)
        for host in ["a", "A", "b", "c", "d"] { _ = sending.send(loader, host: host) }
        // a, b and c; the second of a waits for its host, d for its turn among all.
        expectEqual(stub.requestCount, 3)
        sending.advance(.milliseconds(999))
        expectEqual(stub.requestCount, 3)
        sending.advance(.milliseconds(1))
        expectEqual(stub.requestCount, 4)
        sending.advance(.milliseconds(8_999))
        expectEqual(stub.requestCount, 4)
        sending.advance(.milliseconds(1))
        expectEqual(stub.requestCount, 5)
    }

    @Test func `a turn that is too far away is refused and not taken`() {
        let loader = RateLimitingLoader(
            stub, perHost: HTTPRateLimit(1, per: .seconds(10)), maximumWait: .seconds(10), clock: clock)
        let probes = (0..<4).map { _ in sending.send(loader) }
        expectEqual(stub.requestCount, 1)
        expectEqual((probes[2].error as? HTTPError)?.code, .overloaded)
        expectEqual((probes[3].error as? HTTPError)?.code, .overloaded)
        sending.advance(.seconds(10))
        expectEqual(probes[1].value?.status, 200)
        sending.advance(.seconds(10))
        expectEqual(sending.send(loader).value?.status, 200)
    }

    @Test func `a cancelled wait ends at once and its turn is lost`() {
        let loader = RateLimitingLoader(stub, perHost: HTTPRateLimit(1, per: .seconds(10)), clock: clock)
        _ = sending.send(loader)
        let cancelled = sending.send(loader)
        let last = sending.send(loader)
        cancelled.cancel()
        sending.executor.drain()
        expect(cancelled.error is CancellationError)
        sending.advance(.seconds(10))
        expect(last.isRunning)
        sending.advance(.seconds(10))
        expectEqual(last.value?.status, 200)
        expectEqual(stub.requestCount, 2)
    }

    @Test func `the longest wait holds for both limits together`() {
        let loader = RateLimitingLoader(
            stub, perHost: HTTPRateLimit(1, per: .seconds(6)), total: HTTPRateLimit(1, per: .seconds(6)),
            maximumWait: .seconds(10), clock: clock)
        _ = sending.send(loader)
        let second = sending.send(loader)
        sending.advance(.seconds(3))
        let other = sending.send(loader, host: "b")
        sending.advance(.seconds(3))
        // 6 s for its host, and now 6 s for all: one has gone at 0 s, and b goes at 6 s.
        expectEqual(other.value?.status, 200)
        expectEqual((second.error as? HTTPError)?.code, .overloaded)
        expectEqual(stub.requestCount, 2)
    }

    @Test func `turns in the future hold while many other hosts are asked, and extreme limits do not trap`() {
        var table = RateTable()
        let limit = HTTPRateLimit(1, per: .seconds(20))
        func turn(_ host: String, at time: Duration) -> Duration? {
            table.turn(of: host, limit, at: time, upTo: .seconds(60))
        }
        for expected in [Duration.zero, .seconds(20), .seconds(40)] { expectEqual(turn("busy", at: .zero), expected) }
        // Each is over after 20 s, in which 2,000 come.
        for index in 0..<5_000 { expectEqual(turn("\(index)", at: .milliseconds(10 * index)), .zero) }
        expectEqual(turn("busy", at: .seconds(50)), .seconds(10))
        expect(table.count, <, 5_000)
        for index in 0..<20_000 { expectEqual(turn("and.\(index)", at: .seconds(51)), .zero) }
        expectAll(table.byteCount <= 2 << 20, table.byteCount > 1 << 20)
        // When all that fits is in the future, the latest hold.
        expectEqual(turn("and.19999", at: .seconds(51)), .seconds(20))
        for index in 0..<25_000 { _ = turn("later.\(index)", at: .seconds(100 + index)) }
        expect(table.count, <, 50)
        expectEqual(HTTPRateLimit(3, per: .milliseconds(1)).interval, 333_333)
        for count in [Int.min, 0, .max] {
            let limit = HTTPRateLimit(count, per: .seconds(Int64.max), burst: count)
            for time in [Duration.zero, .seconds(Int64.max)] {
                _ = table.turn(of: "x", limit, at: time, upTo: .seconds(Int64.max))
                _ = table.turn(of: nil, limit, at: time, upTo: .seconds(Int64.max))
            }
        }
    }
}
