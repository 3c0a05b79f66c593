// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import WebImageBinding

/// The binding with a real manager, against a server on this machine.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ManagerTests {
    private var configuration: ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted
        return configuration
    }

    @Test func `a picture comes from the origin once, whatever the visibility, then from memory`() async throws {
        let file = try ImageFactory.encoded(width: 32, height: 24, seed: 77, as: .png)
        try await withOriginServer { origin in
            let gate = OriginGate()
            origin.respond(to: "/77.png", with: .ok(file, type: "image/png").held(at: gate))
            let address = origin.url("/77.png")
            try await withImageManager(configuration) { manager in
                let target = FakeTarget()
                let binding = ImageBinding(target: target, loader: manager)
                let load = binding.load(address)
                await gate.waitUntilReached()
                for visibility in [TargetVisibility.hidden, .near, .visible, .hidden, .visible] {
                    target.visibility = visibility
                    binding.targetVisibilityChanged()
                    await Task.yield()
                }
                gate.open()
                let outcome = try await load.outcome
                expectEqual(outcome.picture?.source, .network)
                expectEqual(target.shown[.image].flatMap { ImageFactory.seed(of: $0) }, 77)
                expectEqual(gate.reachedCount, 1)

                let other = FakeTarget()
                let second = ImageBinding(target: other, loader: manager).load(address)
                expectEqual(second.currentOutcome?.picture?.source, .memory)
                expectEqual(other.calls.count, 1)
            }
        }
    }

    @Test func `what scrolls into view goes before what has scrolled away and waits`() async throws {
        try await withOriginServer { origin in
            let gate = OriginGate()
            for number in 0..<5 {
                let file = try ImageFactory.encoded(width: 8, height: 8, seed: number, as: .png)
                let reply = OriginReply.ok(file, type: "image/png")
                origin.respond(to: "/\(number).png", with: number == 0 ? reply.held(at: gate) : reply)
            }
            var configuration = configuration
            configuration.downloader.maximumConcurrentDownloads = 1
            try await withImageManager(configuration) { manager in
                async let blocker = manager.load(ImageRequest(origin.url("/0.png")))
                await gate.waitUntilReached()
                let cells = (1...4).map { _ in FakeTarget() }
                let bindings = cells.map { ImageBinding(target: $0, loader: manager) }
                var loads = (0..<3).map { bindings[$0].load(origin.url("/\($0 + 1).png")) }
                await until { manager.downloader.queuedCount == 3 }
                for (cell, binding) in zip(cells, bindings).prefix(3) {
                    cell.visibility = .hidden
                    binding.targetVisibilityChanged()
                }
                await until { loads.allSatisfy { $0.outgoingFeed == nil } }
                loads.append(bindings[3].load(origin.url("/4.png")))
                await until { manager.downloader.queuedCount == 4 }
                // The subscriptions that were left have gone.
                let isCalm = { await manager.occupancy.callers == 5 }
                while await !isCalm() { await Task.yield() }
                gate.open()
                _ = try await blocker
                for load in loads { try await expect(load.outcome.picture != nil) }
            }
            expectEqual(origin.requests.map(\.path).prefix(2), ["/0.png", "/4.png"])
        }
    }

    @Test(arguments: [true, false])
    func `a load that may be tried again goes on when its priority changes`(isRuleOfManager: Bool) async throws {
        let file = try ImageFactory.encoded(width: 32, height: 24, seed: 7, as: .png)
        try await withOriginServer { origin in
            origin.respond(to: "/7.png", with: .ok(Array("<html>Sorry</html>".utf8), type: "image/png"))
            let gate = Gate()
            let rule = LoadRetry { failure in
                await gate.pass()
                return failure.attemptCount < 3 ? .zero : nil
            }
            var configuration = configuration
            var request = ImageRequest(origin.url("/7.png"))
            if isRuleOfManager { configuration.hooks.retry = rule } else { request.retry = rule }
            try await withImageManager(configuration) { manager in
                let target = FakeTarget()
                let binding = ImageBinding(target: target, loader: manager)
                var load = binding.load(request)
                await gate.reached()
                for visibility in [TargetVisibility.hidden, .near, .visible] {
                    target.visibility = visibility
                    binding.targetVisibilityChanged()
                    await until { load.outgoingFeed == nil }
                }
                if isRuleOfManager {
                    // Takes over the flight that waits.
                    request.priority = .high
                    load = binding.load(request)
                    await until { load.outgoingFeed == nil }
                }
                origin.respond(to: "/7.png", with: .ok(file, type: "image/png"))
                gate.open()
                try await expectEqual(load.outcome.picture?.source, .network)
            }
            expectEqual(gate.arrivals, 1)
            expectEqual(origin.requests.count, 2)
        }
    }
}
