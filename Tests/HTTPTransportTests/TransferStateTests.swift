// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// The states of transfers over a real connection.
@Suite(.timeLimit(.minutes(5)))
struct TransferStateTests {
    @Test func `a transfer tells that it connects sends and receives with counts`() async throws {
        let content = [UInt8](repeating: 1, count: 300_000)
        let gates = (arrived: OriginGate(), half: OriginGate())
        try await withOrigin { exchange in
            exchange.wire.hold(at: gates.arrived)
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabcd")
            exchange.wire.hold(at: gates.half)
            exchange.write("efghij")
        } _: { origin, client in
            let queue = HTTPTransferQueue(client)
            let transfer = queue.add(HTTPRequest(url: origin.url("/"), method: "POST", body: content))
            await gates.arrived.waitUntilReached()
            // The origin has read the whole request.
            expectEqual(transfer.state, .sending(byteCount: content.count))
            gates.arrived.open()
            var states: [HTTPTransferState] = []
            for await state in transfer.states {
                states.append(state)
                if state == .receiving(byteCount: 4, expected: 10) { gates.half.open() }
            }
            expect(states.contains(.receiving(byteCount: 4, expected: 10)))
            expectEqual(states.last, .ended(.succeeded))
            let bytes = try await transfer.response().bytes
            expectEqual(bytes, Array("abcdefghij".utf8))
        }
        // Each step is told, also where all comes at once.
        let steps = Journal<String>()
        try await withOrigin(handler: { $0.respond(body: [1]) }) { origin, client in
            var request = HTTPRequest(url: origin.url("/"))
            request.options.reports = TransferReports { steps.write("\($0)") }
            try await expectEqual(client.bytes(request), [1])
        }
        expectEqual(Array(steps.entries.prefix(2)), ["connecting", "sending(byteCount: 0)"])
        expectEqual(steps.entries.last, "receiving(byteCount: 1, expected: Optional(1))")
    }

    @Test func `reports of an earlier run do not count`() {
        let (board, executor) = (TransferBoard(), SeededExecutor(seed: 1))
        let first = board.beginRun()
        first(.connecting)
        expectEqual(board.state, .connecting)
        board.set(.paused)
        first(.sending(byteCount: 1))
        expectEqual(board.state, .paused)
        let second = board.beginRun()
        first(.sending(byteCount: 2))
        expectEqual(board.state, .paused)
        second(.connecting)
        expectEqual(board.state, .connecting)
        // Nor does what one has sent before.
        second(.sending(byteCount: 3))
        _ = board.beginRun()
        let late = Probe(on: executor) { await board.states(after: nil, nil)?.sent }
        executor.drain()
        expectEqual(late.value, .some(nil))
    }

    @Test func `a transfer that begins anew waits until it tells more`() throws {
        let executor = SeededExecutor(seed: 1)
        let runs = Mutex(0)
        let loader = ClosureLoader { request in
            let isFirst = runs.withLock { runs in
                runs += 1
                return runs == 1
            }
            if isFirst { request.options.reports?(.connecting) }
            await OneShot<Void>().wait(onCancel: ())
            throw CancellationError()
        }
        let queue = HTTPTransferQueue(loader, executor: executor)
        let transfer = queue.add(HTTPRequest(url: URL(string: "http://a.example/x")!))
        executor.drain()
        expectEqual(transfer.state, .connecting)
        // Before its task has ended.
        transfer.pause()
        transfer.resume()
        executor.drain()
        expectEqual(transfer.state, .waiting)
        transfer.cancel()
        executor.drain()
        expectEqual(transfer.state, .ended(.cancelled))
    }

    @Test(arguments: [1, 20_000, 64 << 10, 300_000]) func `the content that a response follows is told as sent`(
        _ count: Int
    ) async throws {
        try await withOrigin(handler: { $0.respond(200, body: [1]) }) { origin, client in
            let queue = HTTPTransferQueue(client)
            let content = [UInt8](repeating: 1, count: count)
            let transfer = queue.add(HTTPRequest(url: origin.url("/"), method: "POST", body: content))
            var states: [HTTPTransferState] = []
            for await state in transfer.states { states.append(state) }
            expect(states.contains(.sending(byteCount: count)))
            expectEqual(states.last, .ended(.succeeded))
            // Also for a reader that comes late.
            states = []
            for await state in transfer.states { states.append(state) }
            expectEqual(states, [.sending(byteCount: count), .ended(.succeeded)])
        }
    }

    @Test func `a transfer waits for its connection and connects`() async throws {
        let accepted = OriginGate()
        var silence = OriginServer.Configuration()
        silence.connectionGate = accepted
        let origin = try OriginServer.start(configuration: silence)
        let client = HTTPClient(configuration: .loopback { $0.maximumConnectionsPerHost = 1 })
        let url = URL(string: "https://127.0.0.1:\(origin.port)/")!
        let queue = HTTPTransferQueue(client)
        let connecting = queue.add(HTTPRequest(url: url))
        await accepted.waitUntilReached()
        let waiting = queue.add(HTTPRequest(url: url))
        while await client.transferCount < 2 { await Task.yield() }
        // In the middle of the TLS handshake.
        expectEqual(connecting.state, .connecting)
        expectEqual(waiting.state, .waiting)
        queue.cancelAll()
        for transfer in [connecting, waiting] {
            await expectError(CancellationError.self) { try await transfer.response() }
            expectEqual(transfer.state, .ended(.cancelled))
        }
        await client.shutdown()
        origin.stop()
    }

    @Test func `a running transfer is paused and goes on with the rest`() async throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let stalls = Mutex(true)
        try await withOriginServer { origin in
            origin.respond(to: "/x") { _ in
                let reply = OriginReply.ok(content).entityTag("\"1\"").servingRanges()
                let isFirst = stalls.withLock { stalls in
                    defer { stalls = false }
                    return stalls
                }
                return isFirst ? reply.stalled(after: 100_000) : reply
            }
            let client = HTTPClient(configuration: .loopback)
            let queue = HTTPTransferQueue(ResumingLoader(client), width: 1)
            let transfer = queue.add(HTTPRequest(url: origin.url("/x")))
            for await state in transfer.states {
                if case .receiving(let count, _) = state, count == 100_000 { transfer.pause() }
                if state == .paused { break }
            }
            await expectEqual(client.transferCount, 0)
            await expect(origin.waitUntilClosedByPeer(count: 1))
            transfer.resume()
            // Not compared by the macro, which would print them.
            let isWhole = try await transfer.response().bytes == content
            expect(isWhole)
            expectEqual(origin.requests.last?.headers["Range"], "bytes=100000-")
            await client.shutdown()
        }
    }
}
