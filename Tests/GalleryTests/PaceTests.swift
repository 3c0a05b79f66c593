// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding
import WebImageTesting

@testable import gallery

@Suite(.timeLimit(.minutes(1)))
struct PaceTests {
    private let file: [UInt8]

    init() throws { file = try ImageFactory.encoded(width: 8, height: 8, seed: 1, as: .png) }

    @Test func `pieces leave when their time has come, and not before`() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let pace = Pace()
        for path in ["/a", "/b"] {
            origin.respond(to: path) { _ in pace.paced(.ok(file, type: "image/png"), pieces: 4) }
        }
        try await withManager { manager in
            async let image = manager.image(from: origin.url("/a"))
            while pace.waitingCount == 0 { await Task.yield() }
            pace.release(at: Pace.interval * 3)
            while pace.waitingCount == 0 { await Task.yield() }
            // A time that goes back releases nothing, and takes nothing back.
            pace.release(at: .zero)
            expectEqual(pace.waitingCount, 1)
            pace.release(at: Pace.interval * 4)
            expectEqual(pace.waitingCount, 0)
            let width = try await image.width
            expectEqual(width, 8)

            // A later reply begins at its own time, which is none that has passed.
            pace.release(at: .zero)
            async let second = manager.image(from: origin.url("/b"))
            while pace.waitingCount == 0 { await Task.yield() }
            pace.release(at: Pace.interval * 4)
            try #require(pace.waitingCount == 1)
            pace.release(at: Pace.interval * 5)
            while pace.waitingCount == 0 { await Task.yield() }
            pace.release(at: Pace.interval * 8)
            _ = try await second
        }
    }

    @Test func `the end lets everything leave, also what comes later`() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let pace = Pace()
        for path in ["/a", "/b"] {
            origin.respond(to: path) { _ in pace.paced(.ok(file, type: "image/png"), pieces: 3) }
        }
        try await withManager { manager in
            async let image = manager.image(from: origin.url("/a"))
            while pace.waitingCount == 0 { await Task.yield() }
            pace.end()
            let width = try await image.width
            expectEqual(width, 8)
            try await expectEqual(manager.image(from: origin.url("/b")).width, 8)
            expectEqual(pace.waitingCount, 0)
        }
    }

    private func withManager(_ body: (ImageManager) async throws -> Void) async throws {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted
        try await withImageManager(configuration, body)
    }
}
