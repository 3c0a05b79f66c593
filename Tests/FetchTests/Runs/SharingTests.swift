// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

/// One transfer for equal URLs.
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
}
