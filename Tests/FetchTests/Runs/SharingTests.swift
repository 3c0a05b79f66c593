// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

/// One transfer for equal URLs, and never more transfers at once than the limit.
@Suite(.timeLimit(.minutes(10)))
struct SharingTests {
    @Test func `a hundred equal URLs are one request and a hundred answers`() async throws {
        try await withOriginServer { origin in
            let gate = OriginGate()
            origin.respond(to: "/a.png", with: try Pictures.png().held(at: gate))
            let workplace = try Workplace()
            let urls = Array(repeating: origin.url("/a.png").absoluteString, count: 100)
            let command = try workplace.start(workplace.options + urls)
            await gate.waitUntilReached()
            gate.open()
            let run = try await command.end()
            expectEqual(run.status, 0)
            expectEqual(origin.requestCount, 1)
            let lines = try run.lines
            expectEqual(lines.count, 100)
            expect(lines.allSatisfy { $0.ok && $0.width == 64 && $0.url == urls[0] })
            expectEqual(lines.filter { $0.source == "network" }.count, 1)
            expectEqual(Set(lines.map(\.file)).count, 1)
            expectEqual(workplace.names(in: workplace.pictures).count, 1)
        }
    }

    @Test(arguments: [["--refresh"], ["--no-cache"], ["--refresh", "--no-cache"]])
    func `equal URLs are one request also without caches`(options: [String]) async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let workplace = try Workplace()
            let urls = Array(repeating: origin.url("/a.png").absoluteString, count: 50)
            let run = try await workplace.fetch(workplace.options + options + urls)
            try expectEqual(run.lines.count, 50)
            expectEqual(origin.requestCount, 1)
        }
    }

    @Test func `equal URLs that fail are one request and fail alike`() async throws {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            let urls = Array(repeating: origin.url("/missing.png").absoluteString, count: 50)
            let run = try await workplace.fetch(workplace.options + urls)
            expectEqual(run.status, 1)
            try expectEqual(run.lines.count, 50)
            try expect(run.lines.allSatisfy { $0.error?.code == "unacceptableStatus" })
            expectEqual(origin.requestCount, 1)
        }
    }

    /// Each reply waits for its own gate, so that a fourth request would have enough time to arrive.
    @Test func `three at once are three open requests, and never four`() async throws {
        try await withOriginServer { origin in
            let gates = (0..<12).map { _ in OriginGate() }
            for (index, gate) in gates.enumerated() {
                origin.respond(to: "/\(index)", with: try Pictures.png(seed: index).held(at: gate))
            }
            let workplace = try Workplace()
            let urls = gates.indices.map { origin.url("/\($0)").absoluteString }
            let command = try workplace.start(workplace.options + ["--concurrency", "3"] + urls)
            for answered in gates.indices {
                await origin.waitForRequests(count: min(answered + 3, gates.count))
                gates[try required(Int(origin.requests[answered].path.dropFirst()))].open()
            }
            let run = try await command.end()
            expectEqual(run.status, 0)
            expectEqual(origin.requestCount, gates.count)
            expectEqual(origin.peakOpenRequests, 3)
        }
    }
}
