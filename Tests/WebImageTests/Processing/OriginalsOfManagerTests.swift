// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The bytes of originals in the memory of a manager.
@Suite(.balanced, .timeLimit(.minutes(1))) struct OriginalsOfManagerTests {
    /// The memory that one of the pictures takes while it is decoded.
    private static let oneDecode = 132_480

    private static func configuration(_ limit: Int) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration.unchanged
        configuration.maximumProcessingByteCount = limit
        return configuration
    }

    private func marked(_ number: Int) -> ImageRequest {
        .numbered(number, transformers: [.watermark(.numbered(999), opacity: 0.5)])
    }

    @Test(arguments: fewerSeeds)
    func `pictures that wait for a common mark end within the memory, and it goes before them`(seed: UInt64) throws {
        let watched = Mutex<JobQueue?>(nil)
        let most = Mutex(0)
        let scenario = ManagerScenario(seed: seed, configuration: Self.configuration(Self.oneDecode)) { request in
            if let queue = watched.withLock({ $0 }) { most.withLock { $0 = max($0, queue.originalByteCount) } }
            return try HTTPResponse.picture(for: request)
        }
        watched.withLock { $0 = scenario.manager.pipeline.processing.queue }
        let loads = (0..<60).map { scenario.load(marked($0)) }
        scenario.executor.drain()
        expect(loads.allSatisfy { $0.value != nil })
        let largest = try (0..<60).map { try Pictures.png($0).count }.max() ?? 0
        // What the slots hold when the part of originals is full, and the mark.
        expect(most.withLock { $0 } <= Self.oneDecode / 4 + 7 * largest)
        let places = scenario.transport.requests.map(\.url.lastPathComponent)
        expect(places.firstIndex(of: "999.png").map { $0 < 30 } == true)
        watched.withLock { $0 = nil }
    }

    @Test(arguments: fewerSeeds) func `what the most urgent picture needs goes before less urgent ones`(seed: UInt64) {
        let scenario = ManagerScenario(seed: seed)
        func urgent(_ request: ImageRequest, _ priority: ImagePriority) -> ImageRequest {
            var urgent = request
            urgent.priority = priority
            return urgent
        }
        let first = scenario.load(urgent(marked(0), .veryHigh))
        let others = (1..<60).map { scenario.load(urgent(.numbered($0), .high)) }
        scenario.executor.drain()
        expect((others + [first]).allSatisfy { $0.value != nil })
        expect(scenario.transport.requests.last?.url.lastPathComponent != "999.png")
    }

    @Test func `two thousand pictures with a common mark end at the smallest budget`() throws {
        let picture = try Pictures.png(1)
        let scenario = ManagerScenario(seed: 1, configuration: Self.configuration(Self.oneDecode)) {
            HTTPResponse(status: 200, url: $0.url, body: HTTPBody([picture]))
        }
        let loads = (1_000..<3_000).map { scenario.load(marked($0)) }
        scenario.executor.drain()
        expectEqual(loads.count { $0.value != nil }, 2_000)
        expectEqual(scenario.manager.pipeline.processing.queue.originalByteCount, 0)
    }

    @Test(arguments: seeds) func `whenever loads are cancelled, no byte stays counted`(seed: UInt64) throws {
        let scenario = ManagerScenario(seed: seed, configuration: Self.configuration(Self.oneDecode)) { request in
            guard request.url.lastPathComponent != "3.png" else {
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody([try Pictures.png(3).dropLast(40)]))
            }
            return try HTTPResponse.picture(for: request)
        }
        let manager = scenario.manager
        // Room for one picture: most transfers wait to begin, or pause.
        let held = OriginalShare(manager.pipeline.processing.queue, Self.oneDecode / 4 - 1_000)
        let loads = (0..<8).map { scenario.load($0.isMultiple(of: 2) ? marked($0) : .numbered($0)) }
        scenario.executor.run(steps: Int(seed))
        if seed.isMultiple(of: 7) { manager.cancelAll() }
        for load in loads.prefix(Int(seed % 8)) { load.cancel() }
        let end = seed.isMultiple(of: 5) ? Probe(on: scenario.executor) { await manager.shutdown(within: .zero) } : nil
        scenario.executor.drain()
        expectAll(loads.allSatisfy { !$0.isRunning }, end?.isRunning != true)
        let look = Probe(on: scenario.executor) { await manager.occupancy }
        scenario.executor.drain()
        expectEqual([look.value?.originalByteCount, look.value?.queuedDownloads], [held.byteCount, 0])
    }

    @Test(arguments: fewerSeeds)
    func `an original from the disk counts while its load lasts, and one that waits for the disk does not`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed)
        let queue = staged.manager.pipeline.processing.queue
        let load = staged.load(.numbered(1))
        while load.isRunning { staged.run(steps: 1) }
        staged.executor.drain()
        expectEqual(queue.originalByteCount, 0)
        staged.run()
        staged.emptyMemory()
        let small = staged.load(.numbered(1, transformers: [.resize(to: PixelSize(width: 8, height: 8))]))
        staged.run(without: .pixels)
        try expectEqual(queue.originalByteCount, Pictures.png(1).count)
        staged.run()
        expectAll(small.value != nil, queue.originalByteCount == 0)
        expectEqual(staged.transport.requests.count, 1)
    }
}
