// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct CancellationTests {
    @Test func `Cancelling while the origin thinks closes the connection`() async throws {
        let arrived = Gate()
        let closed = Gate()
        try await withOrigin { exchange in
            arrived.open()
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let task = Task { try await client.send(HTTPRequest(url: origin.url("/"))) }
            await arrived.pass()
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            await closed.pass()
            await expectEqual(client.transferCount, 0)
        }
    }

    @Test func `Cancelling the reader of a body closes the connection`() async throws {
        let closed = Gate()
        let reading = Gate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let task = Task {
                let response = try await client.send(HTTPRequest(url: origin.url("/")))
                for try await _ in response.body { reading.open() }
            }
            await reading.pass()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await closed.pass()
        }
    }

    @Test func `A task that is cancelled already sends nothing`() async throws {
        try await withOrigin {
            $0.respond()
        } _: { origin, client in
            let gate = Gate()
            let task = Task {
                await gate.pass()
                _ = try await client.send(HTTPRequest(url: origin.url("/")))
            }
            task.cancel()
            gate.open()
            await #expect(throws: CancellationError.self) { try await task.value }
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
        let url = try #require(URL(string: "https://127.0.0.1:\(origin.port)/"))
        let task = Task { try await client.send(HTTPRequest(url: url)) }
        await accepted.waitUntilReached()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await client.shutdown()
        origin.stop()
    }

    @Test func `Cancelling while a name is looked up returns and leaves the client working`() async throws {
        try await withOrigin {
            $0.respond(body: [1])
        } _: { origin, client in
            for index in 0..<20 {
                let url = try #require(URL(string: "http://host\(index).invalid/"))
                let task = Task { try await client.send(HTTPRequest(url: url)) }
                for _ in 0..<index { await Task.yield() }
                task.cancel()
                // The resolver may have been faster.
                let error = await #expect(throws: (any Error).self) { _ = try await task.value }
                #expect(error is CancellationError || (error as? HTTPError)?.code == .cannotResolveHost)
            }
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            try await expectEqual(response.body.collect(upTo: 1), [1])
        }
    }

    @Test func `A request that waits for a connection can be cancelled, and the next gets its turn`() async throws {
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumConnectionsPerHost = 1
        let arrived = Gate()
        try await withOrigin(configuration) { exchange in
            if exchange.path != "/hang" { return exchange.respond(body: [2]) }
            arrived.open()
            exchange.waitForClose()
        } _: { origin, client in
            let hanging = Task { try await client.send(HTTPRequest(url: origin.url("/hang"))) }
            await arrived.pass()
            // Immediate tasks: each has posted its request when the next begins.
            let waiting = Task.immediate { try await client.send(HTTPRequest(url: origin.url("/waiting"))) }
            let last = Task.immediate {
                try await client.send(HTTPRequest(url: origin.url("/last"))).body.collect(upTo: 1)
            }
            await expectEqual(client.transferCount, 3)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { _ = try await waiting.value }
            hanging.cancel()
            let bytes = try await last.value
            expectEqual(bytes, [2])
        }
    }

    @Test func `Dropping a body that was not read cancels the transfer`() async throws {
        let closed = Gate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            exchange.waitForClose()
            closed.open()
        } _: { origin, client in
            let status = try await client.send(HTTPRequest(url: origin.url("/"))).status
            expectEqual(status, 200)
            await closed.pass()
            await expectEqual(client.transferCount, 0)
        }
    }

    @Test func `Dropping a body after leaving its loop cancels the transfer`() async throws {
        let closed = Gate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\n\r\n")
            while exchange.write([UInt8](repeating: 0, count: 1_000)) {}
            closed.open()
            exchange.close()
        } _: { origin, client in
            func firstChunk() async throws -> Int {
                for try await chunk in try await client.send(HTTPRequest(url: origin.url("/"))).body {
                    return chunk.count
                }
                return 0
            }
            let count = try await firstChunk()
            #expect(count > 0)
            await closed.pass()
        }
    }

    @Test func `Two readers at once are refused, and the first goes on`() async throws {
        let gate = OriginGate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
            exchange.wire.hold(at: gate)
            exchange.write([9])
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
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
        try await withOrigin {
            $0.respond(body: [UInt8](repeating: 1, count: 2_000))
        } _: { origin, client in
            for round in 0..<400 {
                let task = Task {
                    try await client.send(HTTPRequest(url: origin.url("/\(round)"))).body.collect(upTo: 2_000).count
                }
                for _ in 0..<(round % 40) { await Task.yield() }
                task.cancel()
                do { try await expectEqual(task.value, 2_000) } catch { #expect(error is CancellationError) }
            }
        }
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
