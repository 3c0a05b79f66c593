import Foundation
import HTTPTransport
import ImageCoding
import Testing
import WebImageTesting

@testable import WebImage

/// Whatever the limits say, a load has an end and nothing traps: a picture, or an error.
@Suite(.timeLimit(.minutes(1))) struct ExtremeLimitTests {
    private typealias Change<Value> = @Sendable (inout ImageManager.Configuration, Value) -> Void

    private static let numbers: [String: Change<Int>] = [
        "bytes in memory": { $0.memoryByteLimit = $1 },
        "entries in memory": { $0.memoryCountLimit = $1 },
        "pictures at once": { $0.processingWidth = $1 },
        "pixels in place": { $0.inlinePixelLimit = $1 },
        "waiting pictures": { $0.processingQueueLimit = $1 },
        "failures": { $0.failureCapacity = $1 },
        "stored pixels": { $0.maximumStoredVariantPixels = $1 },
        "downloads at once": { $0.downloader.maximumConcurrentDownloads = $1 },
        "waiting downloads": { $0.downloader.queueLimit = $1 },
        "body": { $0.downloader.maximumByteCount = $1 },
        "pixels": { $0.limits.maximumPixelCount = $1 },
        "side": { $0.limits.maximumSide = $1 },
        "frames": { $0.limits.maximumFrameCount = $1 },
        "pixels of all frames": { $0.limits.maximumAnimationPixelCount = $1 },
        "scans": { $0.limits.maximumScanCount = $1 },
        "metadata": { $0.limits.maximumMetadataByteCount = $1 },
        "bytes on disk": { $0.disk?.sizeLimit = $1 },
        "disk threads": { $0.disk?.threads = $1 },
        "waiting disk operations": { $0.disk?.queueLimit = $1 },
    ]

    private static let times: [String: Change<Duration>] = [
        "failure": { $0.failureLifetime = $1 },
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
                _ = try await manager.data(for: request, as: .webp()) { _ in }
                _ = try await manager.image(for: request)
            } catch let error as ImageLoadError {
                #expect(!error.message.isEmpty)
            }
        }
        // The end is not waited for longer than it takes: nothing runs any more.
        _ = await manager.shutdown(within: min(max(configuration.shutdownGrace, .zero), .seconds(60)))
    }
}
