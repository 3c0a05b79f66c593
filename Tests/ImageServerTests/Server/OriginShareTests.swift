// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import ImageServer

/// How many downloads an origin has. Counted by the origin, because times decide nothing.
@Suite(.timeLimit(.minutes(5)))
struct OriginShareTests {
    @Test func `an origin that does not answer has its connections, and no others`() async throws {
        try await withOriginServer { other in
            other.respond(to: "/b.png", with: .ok(try Pictures.file(), type: "image/png"))
            let source = other.url("/b.png").absoluteString
            try await World.run {
                ($0.downloads, $0.connectionsPerOrigin) = (4, 2)
            } _: { world async throws in
                try await hold(8, in: world, untilReached: 2) { gate async throws in
                    try await expectEqual(world.get("/w8/unsigned/plain/\(source)").status, 200)
                    expectEqual(gate.reachedCount, 2)
                }
                expectEqual(world.origin.requestCount, 8)
            }
        }
    }
}

/// Asks for pictures that the origin holds back, does something when it has heard of some, and lets all of them go.
private func hold(
    _ count: Int, in world: World, untilReached reachedCount: Int, _ body: (OriginGate) async throws -> Void
) async throws {
    let gate = OriginGate()
    let reply = OriginReply.ok(try Pictures.file(), type: "image/png").held(at: gate)
    world.origin.respondToEverything { _ in reply }
    try await withThrowingTaskGroup { group in
        for number in 0..<count {
            group.addTask { try await world.get(world.path(of: "/held/\(number).png")).status }
        }
        await gate.waitUntilReached(count: reachedCount)
        try await body(gate)
        gate.open()
        for try await status in group { expectEqual(status, 200) }
    }
}
