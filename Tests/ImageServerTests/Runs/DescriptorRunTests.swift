// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

/// The built command with few descriptors.
@Suite(.timeLimit(.minutes(10)))
struct DescriptorRunTests {
    private static let pictures = 60

    @Test(arguments: [16, 20, 24, 32, 34, 36, 40, 48, 56, 64, 96, 128, 256, 512, 1_024])
    func `with few descriptors the program names the number that it wants, or answers beside idle clients`(
        limit: Int
    ) async throws {
        try await withOriginServer { origin in
            let file = try Pictures.file()
            for number in 0..<Self.pictures { origin.respond(to: "/\(number).png", with: .ok(file, type: "image/png")) }
            let folder = FileManager.default.temporaryDirectory.appending(path: "few-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            let command = try RunningCommand(
                [
                    "--port=0", "--metrics-port=0", "--unsigned", "--allow-host=127.0.0.1", "--no-log",
                    "--allow-network=127.0.0.1/32", "--cache=\(folder.path)",
                ], limit: limit)
            let line = try required(await command.errors(until: ":"))
            guard line.contains("listening on") else {
                expect(line.contains("may open \(limit) files") && limit < 48, "\(line)")
                await expectEqual(command.status(), 1)
                return
            }
            expect(limit, >=, 32)
            let port = try required(line.split(separator: ":").last.flatMap { UInt16($0) })
            let idle = try (0..<min(limit, Descriptors.freeCount / 2)).map { _ in try RawClient(port: port) }
            for client in idle { await client.send("GET / HTTP/1.1\r\n") }
            await withTaskGroup { group in
                for client in 0..<12 {
                    group.addTask {
                        for number in stride(from: client, to: Self.pictures, by: 12) {
                            let source = origin.url("/\(number).png").absoluteString
                            let status = await Self.status(of: "/w8/unsigned/plain/\(source)", at: port)
                            expectEqual(status, 200, "picture \(number)")
                        }
                    }
                }
            }
            await expectEqual(Self.status(of: "/health", at: port), 200)
            command.send(SIGTERM)
            let end = await command.errors(until: "ended")
            await expectEqual(command.status(), 0, "\(end ?? "no last line")")
        }
    }

    /// The status of an answer, after as many attempts as a proxy would make.
    private static func status(of path: String, at port: UInt16) async -> Int {
        var status = 0
        for _ in 0..<5 where status != 200 {
            let request = "GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
            status = (try? await RawClient(port: port).status(of: request)) ?? 0
        }
        return status
    }

    @Test(arguments: [0, 1, 10, 30, 100, 1_000, 100_000]) func `the shares are no more than there is`(free: Int) {
        for clientCount in 1...3 {
            let shares = DescriptorShares(
                free: free, fixed: 10, connections: 1_000, transfers: 64, clientCount: clientCount)
            let sum = shares.connections + shares.probes + shares.transfers * clientCount
            expect(sum, <=, max(free - 10, 2 + clientCount))
            expectAll(shares.connections <= 1_000, shares.transfers <= 64)
            if free == 100_000 { expectEqual([shares.connections, shares.transfers, shares.probes], [1_000, 64, 16]) }
        }
    }
}
