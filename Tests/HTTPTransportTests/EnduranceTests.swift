// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Many requests and cancellations, in a process of their own, where nothing else opens and closes descriptors.
@Suite(.timeLimit(.minutes(10)))
struct EnduranceTests {
    @Test func `ten thousand requests and a thousand cancellations leave no descriptor and no transfer`() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let run = try EnduranceRun()
            let before = run.descriptors
            try await run.send(1_000)
            try await run.cancel(100)
            let memory = ResidentMemory.byteCount
            let start = ContinuousClock.now
            try await run.send(9_000)
            let took = start.duration(to: .now)
            precondition(run.origin.peakOpenRequests <= 64)
            let delays = try await run.cancel(900).sorted()
            await run.client.expectEmptyTables()
            print("9,000 requests over 64 connections took \(took)")
            print(
                "900 cancellations, until the origin saw the end of the connection: median \(delays[450]), "
                    + "99 of 100 within \(delays[891]), longest \(delays[899])")
            print(
                "resident memory \(memory >> 10) KiB after the first tenth, "
                    + "\((ResidentMemory.byteCount - memory) >> 10) KiB more at the end")
            print("descriptors \(before) before, \(run.descriptors) with kept connections")
            await run.client.shutdown()
            // The origin's threads close their ends soon; a leak would keep this from ever coming true.
            while run.descriptors > before { await Task.yield() }
            print("descriptors \(run.descriptors) at the end")
        }
        let report = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print(report)
        expect(report.contains("at the end"))
    }
}

/// A client with at most 64 connections, and an origin that notes when connections end.
private struct EnduranceRun: Sendable {
    private static let body = [UInt8](repeating: 7, count: 2_000)

    let origin: OriginServer
    let client: HTTPClient
    private let ends = Ends()

    /// When the origin saw the ends of connections, by the numbers of their requests.
    private final class Ends: Sendable {
        private let times = Mutex<[String: ContinuousClock.Instant]>([:])

        func note(_ target: String) { times.withLock { $0[target] = .now } }

        func time(of target: String) async -> ContinuousClock.Instant {
            while true {
                if let time = times.withLock({ $0.removeValue(forKey: target) }) { return time }
                await Task.yield()
            }
        }
    }

    init() throws {
        origin = try OriginServer.byHand { [ends] exchange in
            guard exchange.path != "/" else { return exchange.respond(body: Self.body) }
            exchange.waitForClose()
            ends.note(exchange.path)
        }
        var configuration = HTTPClient.Configuration.loopback
        configuration.maximumConnectionsPerHost = 64
        client = HTTPClient(configuration: configuration)
    }

    var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

    func send(_ count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<64 {
                group.addTask {
                    for _ in stride(from: lane, to: count, by: 64) {
                        let bytes = try await client.send(HTTPRequest(url: origin.url("/"))).body.collect(upTo: 2_000)
                        precondition(bytes.count == Self.body.count)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Cancels requests whose answer the origin does not send.
    /// - Returns: How long each took from the cancellation to the end of its connection at the origin.
    @discardableResult
    func cancel(_ count: Int) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for lane in 0..<8 {
                group.addTask {
                    var delays: [Duration] = []
                    for number in stride(from: lane, to: count, by: 8) {
                        let path = "/\(number)-of-\(count)"
                        let task = Task { try await client.send(HTTPRequest(url: origin.url(path))).status }
                        await origin.waitForRequests(count: 1, for: path)
                        let start = ContinuousClock.now
                        task.cancel()
                        if case .success = await task.result { preconditionFailure("a cancelled request was answered") }
                        delays.append(start.duration(to: await ends.time(of: path)))
                    }
                    return delays
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
