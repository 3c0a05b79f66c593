// SPDX-License-Identifier: MIT
import Foundation
import Testing
import WebImageTesting

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
        for _ in 0..<3 { #expect(!isSpared(send(loader))) }
        #expect(isSpared(send(loader)))
        #expect(stub.requestCount == 3)
        #expect(send(loader, "http://b.example/x").value != nil)
        clock.advance(by: .seconds(9))
        #expect(isSpared(send(loader)))
        clock.advance(by: .seconds(1))
        #expect(send(loader).value?.status == 200)
        #expect(send(loader).value?.status == 200)
    }

    @Test func `one request at a time goes through an open circuit`() {
        let loader = loader()
        let gate = Gate()
        stub.respond(to: "/x", with: .status(500), .status(500), .status(500), .status(500).held(at: gate), .ok([]))
        for _ in 0..<3 { _ = send(loader) }
        clock.advance(by: .seconds(10))
        let probe = send(loader)
        #expect(probe.isRunning)
        #expect(isSpared(send(loader)))
        gate.open()
        executor.drain()
        // It failed, so the circuit stays open for its whole time again.
        clock.advance(by: .seconds(9))
        #expect(isSpared(send(loader)))
        clock.advance(by: .seconds(1))
        #expect(send(loader).value?.status == 200)
    }

    @Test func `a cancelled request through an open circuit leaves its place to another`() {
        let loader = loader()
        stub.respond(to: "/x", with: .status(500), .status(500), .status(500), .silence, .ok([]))
        for _ in 0..<3 { _ = send(loader) }
        clock.advance(by: .seconds(10))
        let probe = send(loader)
        probe.cancel()
        executor.drain()
        #expect(probe.wasCancelled)
        #expect(send(loader).value?.status == 200)
    }

    @Test func `what is not the fault of the origin does not count`() {
        let loader = loader()
        stub.respond(
            to: "/x", with: .status(500), .status(500), .status(404), .status(500), .status(500),
            .failure(.bodyTooLarge), .status(500))
        for _ in 0..<7 { #expect(!isSpared(send(loader))) }
    }

    @Test func `a table of failing origins stays bounded`() throws {
        var table = CircuitTable()
        for host in 0..<2_000 {
            let origin = try Origin(#require(URL(string: "http://h\(host)/")))
            let entry = table.enter(origin, at: .zero)
            let ticket = try #require(entry)
            table.leave(ticket, .failure, limit: 1, openTime: .seconds(1), at: .zero)
        }
        #expect(table.count == 1_000)
    }
}
