// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// For any limits, a load ends with a picture or an error, and nothing traps.
@Suite(.timeLimit(.minutes(1))) struct ExtremeLimitTests {
    private typealias Change<Value> = @Sendable (inout ImageManager.Configuration, Value) -> Void

    private static let numbers: [String: Change<Int>] = [
        "bytes in memory": { $0.memory.maximumCost = $1 },
        "entries in memory": { $0.memory.maximumCount = $1 },
        "pictures at once": { $0.processingWidth = $1 },
        "pixels in place": { $0.maximumInlinePixelCount = $1 },
        "bytes of pictures that are made": { $0.maximumProcessingByteCount = $1 },
        "bytes of one decode": { $0.limits.maximumByteCount = $1 },
        "drawn pixels": { $0.limits.maximumDrawnPixelCount = $1 },
        "waiting pictures": { $0.maximumProcessingQueueLength = $1 },
        "failures": { $0.failureCapacity = $1 },
        "stored pixels": { $0.variantStorage.maximumPixelCount = $1 },
        "downloads at once": { $0.downloader.maximumConcurrentDownloads = $1 },
        "downloads of one host": { $0.downloader.maximumConcurrentDownloadsPerHost = $1 },
        "waiting downloads": { $0.downloader.maximumQueueLength = $1 },
        "body": { $0.downloader.maximumByteCount = $1 },
        "pixels": { $0.limits.maximumPixelCount = $1 },
        "side": { $0.limits.maximumSide = $1 },
        "frames": { $0.limits.maximumFrameCount = $1 },
        "pixels of all frames": { $0.limits.maximumAnimationPixelCount = $1 },
        "scans": { $0.limits.maximumScanCount = $1 },
        "metadata": { $0.limits.maximumMetadataByteCount = $1 },
        "bytes on disk": { $0.disk?.maximumByteCount = $1 },
        "disk threads": { $0.disk?.threads = $1 },
        "waiting disk operations": { $0.disk?.maximumQueueLength = $1 },
    ]

    private static let times: [String: Change<Duration>] = [
        "failure": { $0.failureLifetime = $1 },
        "wait for a slot": { $0.downloader.queueTimeout = $1 },
        "processor time": { $0.limits.maximumProcessorTime = $1 },
        "end": { $0.shutdownGrace = $1 },
        "age on disk": { $0.disk?.maximumAge = $1 },
    ]

    @Test(arguments: numbers.keys.sorted(), [Int.min, -1, 0, 1, .max])
    func `a limit may be any number`(limit: String, value: Int) async throws {
        try await Self.load { Self.numbers[limit]!(&$0, value) }
    }

    @Test(arguments: times.keys.sorted(), [Duration.seconds(Int64.min), .seconds(-1), .zero, .seconds(Int64.max)])
    func `a time may be any time`(time: String, value: Duration) async throws {
        try await Self.load { Self.times[time]!(&$0, value) }
    }

    @Test(arguments: [-Double.infinity, -1, 0, 1, .infinity, .nan])
    func `the part between two reports may be any number`(part: Double) async throws {
        try await Self.load { $0.downloader.minimumProgressInterval = part }
    }

    @Test(arguments: [Int.min, -1, 0, 1, .max])
    func `how many at once, and how many wait for a reader, may be any number`(count: Int) async throws {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        let activities = manager.activities(keeping: count)
        var outcomes = 0
        for await outcome in manager.images(for: (0..<3).map { .numbered($0) }, atOnce: count) {
            #expect(throws: Never.self) { try outcome.result.get() }
            outcomes += 1
        }
        expectEqual(outcomes, 3)
        var eagerness = ImagePrefetcher.Configuration()
        eagerness.maximumConcurrentLoads = count
        let prefetcher = ImagePrefetcher(manager: manager, configuration: eagerness)
        let report = await prefetcher.prefetch((3..<6).map { ImageRequest.numbered($0) })
        expectEqual(report.progress.finishedCount, 3)
        await prefetcher.shutdown()
        _ = await manager.shutdown(within: .zero)
        var told = 0
        for await _ in activities { told += 1 }
        expect(told, >, 0)
    }

    /// Loads, again from the caches, fails, fails again, and ends.
    private static func load(_ change: (inout ImageManager.Configuration) -> Void) async throws {
        let folder = try TemporaryFolder(isInMemory: true)
        var configuration = ImageManager.Configuration()
        configuration.disk = .init(folder: folder.path)
        change(&configuration)
        let transport = StubTransport { request in
            request.url.lastPathComponent == "404.png"
                ? HTTPResponse(status: 404, url: request.url) : try .picture(for: request)
        }
        let manager = ImageManager(configuration: configuration, transport: transport)
        let box = PixelSize(width: 4, height: 4)
        for request in [
            ImageRequest.numbered(1), .numbered(1), .numbered(2, transformers: [.resize(to: box, mode: .fill)]),
            .numbered(404), .numbered(404),
        ] {
            do {
                _ = try await manager.encodedImage(for: request, as: .webp()) { _ in }
                _ = try await manager.image(for: request)
            } catch let error as ImageLoadError {
                expect(!error.message.isEmpty)
            }
        }
        _ = await manager.shutdown(within: configuration.shutdownGrace)
    }
}
