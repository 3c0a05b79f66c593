// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct ShutdownTests {
    @Test func `The end fails those who wait for a head, for a body and for a connection`() async throws {
        let arrived = Gate()
        try await withOrigin(.loopback { $0.maximumConnectionsPerHost = 2 }) { exchange in
            if exchange.path == "/body" {
                exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
            } else {
                arrived.open()
            }
            exchange.waitForClose()
        } _: { origin, client in
            let response = try await client.get(origin.url("/body"))
            let head = Task { try await client.get(origin.url("/head")) }
            await arrived.pass()
            let queued = Task.immediate { try await client.get(origin.url("/queued")) }
            await expectEqual(client.transferCount, 3)
            await client.shutdown()
            for task in [head, queued] {
                await expectHTTPError(.shutDown) { try await task.value }
            }
            await expectHTTPError(.shutDown) { try await response.body.collect(upTo: 10) }
        }
    }

    @Test func `Many who end it at once, while requests start, all return`() async throws {
        try await withOrigin {
            $0.respond(body: [1])
        } _: { origin, _ in
            for _ in 0..<30 {
                let client = HTTPClient(configuration: .loopback)
                await withTaskGroup(of: Void.self) { group in
                    for index in 0..<12 {
                        group.addTask {
                            do {
                                let response = try await client.get(origin.url("/\(index)"))
                                _ = try await response.body.collect(upTo: 1)
                            } catch {
                                expectEqual((error as? HTTPError)?.code, .shutDown)
                            }
                        }
                        if index % 3 == 0 { group.addTask { await client.shutdown() } }
                        group.addTask { _ = await client.transferCount }
                    }
                }
            }
        }
    }

    @Test func `A body is read to its end after its client was let go`() async throws {
        let origin = try OriginServer.byHand { $0.respond(body: [UInt8](repeating: 4, count: 3 << 20)) }
        let response = try await HTTPClient(configuration: .loopback).get(origin.url("/"))
        try await expectEqual(response.body.collect(upTo: 3 << 20).count, 3 << 20)
        origin.stop()
    }

    @Test func `Neither descriptors nor threads are left of two hundred clients`() async {
        // In a process of its own, where nothing else opens and closes descriptors.
        await #expect(processExitsWith: .success) {
            let origin = try OriginServer.byHand { $0.respond(body: [1]) }
            func count(_ folder: String) throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
            }
            func use(_ number: Int) async throws {
                let client = HTTPClient(configuration: .loopback)
                let response = try await client.get(origin.url("/"))
                _ = try await response.body.collect(upTo: 1)
                // Every other one is only let go of.
                if number % 2 == 0 { await client.shutdown() }
            }
            for number in 0..<20 { try await use(number) }
            let clientThreads = {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter {
                    let name = try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
                    return name == "http-loop\n"
                }.count
            }
            // Threads that were only let go of end by themselves, soon.
            while try clientThreads() > 0 { await Task.yield() }
            let descriptors = try count("fd")
            for number in 0..<200 { try await use(number) }
            while try clientThreads() > 0 { await Task.yield() }
            // The origin's threads close their ends soon, too; a leak would keep this from ever coming true.
            while try count("fd") > descriptors { await Task.yield() }
        }
    }

    @Test func `nothing of a transfer is kept when it has ended, neither by the client nor by its reader`() async throws
    {
        try await withOrigin(handler: { $0.respond(body: [1]) }) { origin, client in
            weak var reports: TransferReports?
            weak var transfer: TransferBody?
            var iterator: HTTPBody.Iterator?
            do {
                let own = TransferReports { _ in }
                reports = own
                var request = HTTPRequest(url: origin.url("/"))
                request.options.reports = own
                let body = try await client.send(request).body
                if case .transfer(let one) = body.storage { transfer = one }
                iterator = body.makeAsyncIterator()
            }
            expectAll(reports != nil, transfer != nil)
            while try await iterator?.next() != nil {}
            await expectEqual(client.table.entryCount, 0)
            expectAll(reports == nil, transfer == nil)
            withExtendedLifetime(iterator) {}
        }
    }

    @Test(.enabled(if: hasSystemAllocator)) func `what libcurl and zlib have for transfers and clients is given back`()
        async throws
    {
        let packed: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0x63, 0x64, 0x62, 6, 0, 0x1D, 0x80, 0xBC, 0x55, 3, 0, 0, 0,
        ]
        let origin = try OriginServer.byHand { $0.respond(200, ["Content-Encoding: gzip"], body: packed) }
        defer { origin.stop() }
        let url = origin.url("/").absoluteString
        await #expect(processExitsWith: .success) { [url = url as String] in
            let headers: HTTPHeaders = ["X-Long": String(repeating: "x", count: 1_000)]
            let request = HTTPRequest(url: URL(string: url)!, headers: headers)
            let client = HTTPClient(configuration: .loopback)
            @Sendable func send(_ count: Int) async throws {
                for _ in 0..<count { try await expectEqual(client.bytes(request), [1, 2, 3]) }
            }
            @Sendable func use(_ count: Int) async throws {
                for _ in 0..<count {
                    let other = HTTPClient(configuration: .loopback)
                    try await expectEqual(other.bytes(request), [1, 2, 3])
                    await other.shutdown()
                }
            }
            // The least of some rounds: what stays grows in each one. On a busy machine, four had not been enough.
            func expectGrowth(below limit: Int, _ body: () async throws -> Void) async throws {
                var least = Int.max
                for _ in 0..<20 where least >= limit { least = min(least, try await heapGrowth(of: body).byteCount) }
                expect(least, <, limit)
            }
            // The smallest part of a transfer, its text for an error, has 256 bytes, and the sessions of a client 2 KB.
            try await expectGrowth(below: 300 * 128) { try await send(300) }
            try await expectGrowth(below: 20 * 1_024) { try await use(20) }
            await client.shutdown()
        }
    }
}
