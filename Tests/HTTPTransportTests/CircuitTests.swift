// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1)))
struct CircuitTests {
    private let executor = SeededExecutor(seed: 3)
    private let clock = ManualClock()
    private let stub = StubLoader()

    private func send(_ loader: any HTTPLoading, _ url: String = "http://a.example/x") -> Probe<HTTPResponse> {
        let request = HTTPRequest(url: URL(string: url)!)
        let probe = Probe(on: executor) { try await loader.send(request) }
        executor.drain()
        return probe
    }

    private func loader() -> CircuitBreakingLoader {
        CircuitBreakingLoader(stub, maximumFailureCount: 3, openTime: .seconds(10), clock: clock)
    }

    private func isSpared(_ probe: Probe<HTTPResponse>) -> Bool {
        (probe.error as? HTTPError)?.code == .circuitOpen
    }

    @Test func `failures in a row open the circuit and one success closes it`() {
        let loader = loader()
        stub.respond(to: "/x", with: .failure(.timedOut), .status(500), .failure(.cannotConnect), .ok([]))
        for _ in 0..<3 { expect(!isSpared(send(loader))) }
        expect(isSpared(send(loader)))
        expectEqual(stub.requestCount, 3)
        expect(send(loader, "http://b.example/x").value != nil)
        clock.advance(by: .seconds(9))
        expect(isSpared(send(loader)))
        clock.advance(by: .seconds(1))
        expectEqual(send(loader).value?.status, 200)
        expectEqual(send(loader).value?.status, 200)
        for code in [HTTPError.Code.cannotResolveHost, .connectionLost, .tlsFailed, .invalidResponse] {
            let loader = self.loader()
            stub.respond(to: "/x", with: .failure(code))
            for _ in 0..<3 { expect(!isSpared(send(loader)), "\(code)") }
            let last = send(loader)
            expect(isSpared(last), "\(code)")
            let text = "a.example has failed 3 times in a row and is not asked for 10.0 seconds."
            expectEqual((last.error as? HTTPError)?.message, text)
        }
    }

    @Test func `one request at a time goes through an open circuit`() {
        let loader = loader()
        let gate = Gate()
        stub.respond(to: "/x", with: .status(500), .status(500), .status(500), .status(500).held(at: gate), .ok([]))
        for _ in 0..<3 { _ = send(loader) }
        clock.advance(by: .seconds(10))
        let probe = send(loader)
        expect(probe.isRunning)
        expect(isSpared(send(loader)))
        gate.open()
        executor.drain()
        // It failed, so the circuit stays open for its whole time again.
        clock.advance(by: .seconds(9))
        expect(isSpared(send(loader)))
        clock.advance(by: .seconds(1))
        expectEqual(send(loader).value?.status, 200)
    }

    @Test func `a cancelled request through an open circuit leaves its place to another`() {
        let loader = loader()
        stub.respond(to: "/x", with: .status(500), .status(500), .status(500), .silence, .ok([]))
        for _ in 0..<3 { _ = send(loader) }
        clock.advance(by: .seconds(10))
        let probe = send(loader)
        probe.cancel()
        executor.drain()
        expect(probe.wasCancelled)
        expectEqual(send(loader).value?.status, 200)
    }

    @Test func `what is not the fault of the origin does not count`() {
        let loader = loader()
        stub.respond(
            to: "/x", with: .status(500), .status(500), .status(404), .status(500), .status(500),
            .failure(.bodyTooLarge), .status(500))
        for _ in 0..<8 { expect(!isSpared(send(loader))) }
    }

    @Test func `an error with a status counts by the status alone`() {
        func error(_ status: Int) -> StubReply {
            .failure(
                HTTPError(
                    code: .timedOut, message: "",
                    response: HTTPError.Response(
                        status: status, headers: [:], url: URL(string: "http://a/")!, beginning: [])))
        }
        for (replies, opens) in [([500, 599, 503], true), ([500, 404, 500], false), ([499, 499, 499], false)] {
            let stub = StubLoader()
            let loader = CircuitBreakingLoader(stub, maximumFailureCount: 3, clock: clock)
            stub.respond(to: "/x", with: error(replies[0]), error(replies[1]), error(replies[2]), .ok([]))
            for _ in 0..<3 { expect(!isSpared(send(loader))) }
            expectEqual(isSpared(send(loader)), opens, "\(replies)")
        }
    }

    @Test func `requests from before a circuit opened do not keep it open longer when they fail`() {
        let loader = loader()
        let gate = Gate()
        stub.respond(to: "/x", with: .status(500).held(at: gate), .status(500), .status(500), .status(500), .ok([]))
        let early = send(loader)
        for _ in 0..<3 { _ = send(loader) }
        expect(isSpared(send(loader)))
        clock.advance(by: .seconds(9))
        gate.open()
        executor.drain()
        expectEqual(early.value?.status, 500)
        expect(isSpared(send(loader)))
        clock.advance(by: .seconds(1))
        expectEqual(send(loader).value?.status, 200)
    }

    private func fail(_ host: String, in table: inout CircuitTable) throws -> Bool {
        let origin = try Origin(required(URL(string: "http://\(host)/")))
        guard let ticket = table.enter(origin, at: .zero) else { return false }
        table.leave(ticket, .failure, limit: 2, openTime: .seconds(1), at: .zero)
        return true
    }

    @Test func `a table of failing origins is bounded in bytes and an open circuit that is asked for stays`() throws {
        var table = CircuitTable()
        for host in ["asked", "asked", "forgotten", "forgotten"] { expect(try fail(host, in: &table)) }
        for number in 0..<40_000 {
            try expect(fail("h\(number).\(String(repeating: "x", count: number % 200))", in: &table))
            if number % 1_000 == 0 { try expect(!fail("asked", in: &table)) }
        }
        expectAll(table.byteCount <= 2 << 20, table.byteCount > 1 << 20)
        // A new origin is still noticed.
        for host in ["new", "new", "forgotten"] { expect(try fail(host, in: &table)) }
        try expect(!fail("new", in: &table))
    }
}
