// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// A limit of the configuration reaches what it is for: the manager admits what the limit names, and not one more.
///
/// The queues are in ``OverloadTests`` and ``FairnessTests``, the memory of decodes in ``BudgetTests``, the disk in
/// ``CacheLimitTests``; what `ImageLimits` mean is in `ImageCodingTests`.
@Suite(.balanced, .timeLimit(.minutes(1))) struct LimitBoundaryTests {
    /// Something that needs a limit to be of some size.
    struct Demand: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The smallest limit that admits it.
        let need: Int
        let set: @Sendable (inout ImageManager.Configuration, Int) -> Void
        /// The gate holds every transfer.
        let isAdmitted: @Sendable (ManagerScenario, Gate) -> Bool
    }

    // The pictures have 16 by 16 pixels.
    static let demands: [Demand] = [
        Demand(testDescription: "pixels", need: 256, set: { $0.limits.maximumPixelCount = $1 }, isAdmitted: loads),
        Demand(testDescription: "side", need: 16, set: { $0.limits.maximumSide = $1 }, isAdmitted: loads),
        // Two pictures and their files.
        Demand(testDescription: "entries in memory", need: 4) {
            $0.memory.maximumCount = $1
        } isAdmitted: { scenario, gate in
            _ = run(scenario, gate, [1, 2])
            return scenario.manager.memoryStatistics.evictions == 0
        },
        Demand(testDescription: "failures", need: 2) {
            $0.failureCapacity = $1
        } isAdmitted: { scenario, gate in
            _ = run(scenario, gate, [404, 405, 404, 405])
            return scenario.transport.requests.count == 2
        },
        Demand(testDescription: "downloads at once", need: 3) {
            $0.downloader.maximumConcurrentDownloads = $1
            $0.downloader.maximumConcurrentDownloadsPerHost = 100
        } isAdmitted: {
            width($0, $1) == 3
        },
        Demand(testDescription: "downloads of one host", need: 3) {
            $0.downloader.maximumConcurrentDownloads = 100
            $0.downloader.maximumConcurrentDownloadsPerHost = $1
        } isAdmitted: {
            width($0, $1) == 3
        },
    ]

    @Test func `a program that sets nothing has the limits that the guide tells`() {
        let (manager, limits) = (ImageManager.Configuration(), ImageLimits())
        let (downloader, disk, memory) = (manager.downloader, DiskCache.Configuration(), MemoryBudget.processLimit)
        expectEqual(
            [downloader.maximumConcurrentDownloads, downloader.maximumQueueLength, manager.failureCapacity],
            [6, 10_000, 10_000])
        expectEqual(
            [downloader.maximumByteCount, manager.maximumProcessingByteCount, manager.maximumWriteByteCount],
            [min(memory / 16, 100_000_000), memory / 3, min(memory / 16, 256_000_000)])
        expectEqual([manager.maximumHeldAnimationByteCount, disk.maximumByteCount], [8 << 20, 1 << 30])
        expectEqual(
            [limits.maximumPixelCount, limits.maximumSide, limits.maximumFrameCount, limits.maximumByteCount],
            [50_000_000, 65_500, 10_000, 224_000_000])
        expectEqual([limits.maximumAnimationPixelCount, limits.maximumDrawnPixelCount], [50_000_000, 1_000_000_000])
        expectEqual(
            [downloader.queueTimeout, manager.failureLifetime, disk.maximumAge, limits.maximumProcessorTime],
            [.seconds(300), .seconds(60), .seconds(7 * 86_400), .milliseconds(1_750)])
        expect(disk.expiry == .sinceUse)
        expectEqual(manager.transport.maximumBodyByteCount, .max, "the downloader limits it")
        expectEqual(
            [manager.maximumInlinePixelCount, manager.maximumProcessingQueueLength, disk.threads], [4_096, 10_000, 4])
        expectEqual([manager.variantStorage.maximumPixelCount, disk.maximumQueueLength], [1_000_000, 4_096])
        expectEqual([manager.shutdownGrace, disk.sweepInterval], [.seconds(10), .seconds(3_600)])
        expectAll(downloader.minimumProgressInterval == 0.01, disk.durability == .fast, disk.minimumFreeByteCount == 0)
        let (prefetching, previews) = (ImagePrefetcher.Configuration(), PreviewOptions())
        expectAll(prefetching.maximumConcurrentLoads == 3, prefetching.priority == .low)
        expectAll(prefetching.destination == .all, prefetching.outcome == .picture)
        expectAll(previews.size == PixelSize(width: 512, height: 512), previews.interval == .milliseconds(200))
    }

    @Test(arguments: demands, Seeds.first(2)) func `the manager admits what a limit names, and not one more`(
        demand: Demand, seed: UInt64
    ) {
        expect(Self.isAdmitted(demand, under: demand.need, seed))
        expect(!Self.isAdmitted(demand, under: demand.need - 1, seed))
    }

    @Test func `a body that is announced as too large is refused before a byte of it comes`() {
        var configuration = ImageManager.Configuration.unchanged
        configuration.downloader.maximumByteCount = 10
        let gate = Gate()
        let scenario = ManagerScenario(seed: 1, configuration: configuration) { request in
            let body = GatedBody(Array(repeating: 7, count: 11), pieces: 2, free: 0, gate: gate)
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body, expectedByteCount: 11))
        }
        let load = scenario.loadInTurn(1)
        expectEqual((load.error as? ImageLoadError)?.reason, "bodyTooLarge")
        expectEqual(gate.arrivals, 0)
        scenario.executor.open(gate)
    }

    @Test func `limits of a request do not go beyond the memory for pictures, however small the picture`() async {
        var configuration = ImageManager.Configuration.unchanged
        configuration.disk = nil
        configuration.maximumProcessingByteCount = 500
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        var request = ImageRequest.numbered(1)
        for limits in [nil, ImageLimits()] {
            request.limits = limits
            let error = await expectError(ImageLoadError.self) { [request] in try await manager.load(request) }
            expectEqual(error?.suggestedHTTPStatus, 413)
        }
        _ = await manager.shutdown(within: .zero)
    }

    private static func isAdmitted(_ demand: Demand, under limit: Int, _ seed: UInt64) -> Bool {
        var configuration = ImageManager.Configuration()
        demand.set(&configuration, limit)
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate, configuration: configuration) { request in
            request.url.path.hasPrefix("/40") ? HTTPResponse(status: 404, url: request.url) : try .picture(for: request)
        }
        return demand.isAdmitted(scenario, gate)
    }

    /// Loads pictures one after the other.
    ///
    /// - Returns: Whether all of them came.
    private static func run(_ scenario: ManagerScenario, _ gate: Gate, _ numbers: [Int]) -> Bool {
        gate.open()
        let loads = numbers.map { number in
            let load = scenario.loadInTurn(number)
            return load
        }
        return loads.allSatisfy { $0.value != nil }
    }

    @Sendable private static func loads(_ scenario: ManagerScenario, _ gate: Gate) -> Bool {
        run(scenario, gate, [1])
    }

    /// How many of four transfers run at once. All of them end.
    private static func width(_ scenario: ManagerScenario, _ gate: Gate) -> Int {
        let loads = (1...4).map { scenario.load($0) }
        scenario.executor.drain()
        let width = scenario.transport.open
        scenario.executor.open(gate)
        expect(loads.allSatisfy { $0.value != nil })
        return width
    }
}
