// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct CancellationTests {
    @Test(arguments: [false, true])
    func `cancelling closes the connection, while the origin thinks and within the body`(
        isReading: Bool
    ) async throws {
        let (arrived, closed) = (Gate(), Gate())
        try await withOrigin { exchange in
            if isReading {
                exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            } else {
                arrived.open()
            }
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let task = Task {
                let response = try await client.get(origin.url("/"))
                for try await _ in response.body { arrived.open() }
            }
            await arrived.pass()
            task.cancel()
            await expectError(CancellationError.self) { try await task.value }
            await closed.pass()
            await expectEqual(client.transferCount, 0)
        }
    }

    @Test func `A task that is cancelled already sends nothing`() async throws {
        try await withOrigin(handler: { $0.respond() }) { origin, client in
            let gate = Gate()
            let task = Task {
                await gate.pass()
                _ = try await client.get(origin.url("/"))
            }
            task.cancel()
            gate.open()
            await expectError(CancellationError.self) { try await task.value }
            expectEqual(origin.connectionCount, 0)
        }
    }

    @Test func `Cancelling in the middle of a TLS handshake ends it`() async throws {
        // Accepts, and neither reads nor writes.
        var silence = OriginServer.Configuration()
        let accepted = OriginGate()
        silence.connectionGate = accepted
        let origin = try OriginServer.start(configuration: silence)
        let client = HTTPClient(configuration: .loopback)
        let url = URL(string: "https://127.0.0.1:\(origin.port)/")!
        let task = Task { try await client.get(url) }
        await accepted.waitUntilReached()
        task.cancel()
        await expectError(CancellationError.self) { try await task.value }
        await client.shutdown()
        origin.stop()
    }

    @Test func `Cancelling while a name is looked up returns and leaves the client working`() async throws {
        try await withOrigin(handler: { $0.respond(body: [1]) }) { origin, client in
            for index in 0..<20 {
                let url = URL(string: "http://host\(index).invalid/")!
                let task = Task { try await client.get(url) }
                for _ in 0..<index { await Task.yield() }
                task.cancel()
                // The resolver may have been faster.
                let error = await #expect(throws: (any Error).self) { _ = try await task.value }
                expect(error is CancellationError || (error as? HTTPError)?.code == .cannotResolveHost)
            }
            let response = try await client.get(origin.url("/"))
            try await expectEqual(response.body.collect(upTo: 1), [1])
        }
    }

    @Test func `A request that waits for a connection can be cancelled, and the next gets its turn`() async throws {
        let arrived = Gate()
        try await withOrigin(.loopback { $0.maximumConnectionsPerHost = 1 }) { exchange in
            if exchange.path != "/hang" { return exchange.respond(body: [2]) }
            arrived.open()
            exchange.waitForClose()
        } _: { origin, client in
            let hanging = Task { try await client.get(origin.url("/hang")) }
            await arrived.pass()
            // Immediate tasks: each has posted its request when the next begins.
            let waiting = Task.immediate { try await client.get(origin.url("/waiting")) }
            let last = Task.immediate {
                try await client.get(origin.url("/last")).body.collect(upTo: 1)
            }
            await expectEqual(client.transferCount, 3)
            waiting.cancel()
            await expectError(CancellationError.self) { try await waiting.value }
            hanging.cancel()
            let bytes = try await last.value
            expectEqual(bytes, [2])
        }
    }

    @Test func `dropping a body cancels the transfer, unread or after leaving its loop`() async throws {
        let closed = (unread: Gate(), left: Gate())
        try await withOrigin { exchange in
            if exchange.path == "/unread" {
                exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                exchange.waitForClose()
                return closed.unread.open()
            }
            exchange.write("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.write([UInt8](repeating: 0, count: 1_000)) {}
            closed.left.open()
            exchange.close()
        } _: { origin, client in
            try await expectEqual(client.get(origin.url("/unread")).status, 200)
            await closed.unread.pass()
            await expectEqual(client.transferCount, 0)
            func firstChunk() async throws -> Int {
                for try await chunk in try await client.get(origin.url("/left")).body {
                    return chunk.count
                }
                return 0
            }
            let count = try await firstChunk()
            expect(count, >, 0)
            await closed.left.pass()
        }
    }

    @Test func `Two readers at once are refused, and the first goes on`() async throws {
        let gate = OriginGate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
            exchange.wire.hold(at: gate)
            exchange.write([9])
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            async let one: Result<[UInt8], any Error> = Result { try await response.body.collect(upTo: 1) }
            async let two: Result<[UInt8], any Error> = Result { try await response.body.collect(upTo: 1) }
            // One of the two waits; the other is told so, which ends the transfer for neither before the byte is sent.
            let first = await withTaskGroup(of: Result<[UInt8], any Error>.self) { group in
                group.addTask { await Result { try await response.body.collect(upTo: 1) } }
                return await group.next()
            }
            gate.open()
            let all = await [one, two] + [first].compactMap(\.self)
            expect(
                all.contains {
                    if case .failure(let error as HTTPError) = $0 { error.code == .bodyInUse } else { false }
                })
        }
    }

    @Test func `Cancelling at any moment gives every caller exactly one end`() async throws {
        try await withOrigin(handler: { $0.respond(body: [UInt8](repeating: 1, count: 2_000)) }) { origin, client in
            for round in 0..<400 {
                let task = Task {
                    try await client.get(origin.url("/\(round)")).body.collect(upTo: 2_000).count
                }
                for _ in 0..<(round % 40) { await Task.yield() }
                task.cancel()
                do { try await expectEqual(task.value, 2_000) } catch { expect(error is CancellationError) }
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
