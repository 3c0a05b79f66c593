// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Content that is on this machine already.
@Suite(.timeLimit(.minutes(1))) struct LocalContentTests {
    private let folder: TemporaryFolder
    private let cache: TemporaryFolder
    private let manager: ImageManager
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        cache = try TemporaryFolder(isInMemory: true)
        file = URL(filePath: folder.path + "/1.png")
        var configuration = ImageManager.Configuration()
        configuration.disk = .init(folder: cache.path)
        let files = HTTPLoaderChain(FileLoader(roots: [folder.path]), DataURLLoader())
        manager = ImageManager(
            configuration: configuration, transport: RetryingLoader(ResumingLoader(RateLimitingLoader(files))))
    }

    private func write(_ seed: Int, to file: URL) throws {
        try Data(Pictures.png(seed)).write(to: file, options: .atomic)
    }

    @Test func `a changed file is seen, and no file is copied to the disk cache`() async throws {
        let small = ImageRequest(file, transformers: [.rotate(degrees: 90)])
        for seed in 1...3 {
            try write(seed, to: file)
            for _ in 0..<2 {
                let image = try await manager.image(from: file)
                expectEqual(ImageFactory.seed(of: image), seed)
                let turned = try await manager.image(for: small)
                expectEqual(turned.pixels, (try small.transformers[0].transform(image)).pixels)
                let original = try await manager.encodedImage(for: ImageRequest(file))
                expectEqual(original.bytes, (try Pictures.png(seed)))
            }
        }
        let again = try await manager.load(ImageRequest(file))
        expectEqual(again.source, .memory, "an unchanged file is not decoded again")
        await manager.flush()
        let original = try await manager.diskCache?.contains(ImageRequest(file).originalKey)
        expectEqual(original, false)
        _ = await manager.shutdown(within: .seconds(5))
    }

    @Test(arguments: [true, false])
    func `the content of a data URL is kept in memory alone, also for a loader of the request`(isRequests: Bool)
        async throws
    {
        let url = URL(string: "data:image/png;base64," + Data(try Pictures.png(7)).base64EncodedString())!
        var request = ImageRequest(url)
        if isRequests { request.loader = Identified(identity: "data", DataURLLoader()) }
        try await expectEqual(manager.load(request).source, .network)
        try await expectEqual(manager.load(request).source, .memory)
        await manager.flush()
        expectEmpty(cache.entryFiles)
        _ = await manager.shutdown(within: .seconds(5))
    }
}
