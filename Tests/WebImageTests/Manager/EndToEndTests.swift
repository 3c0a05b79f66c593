// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Loads on real parts: a loopback origin, the HTTP client, the codecs, a disk cache in a folder.
@Suite(.timeLimit(.minutes(1))) struct EndToEndTests {
    private let origin: OriginServer
    private let folder: TemporaryFolder
    private let coder = CountingCoder()

    init() throws {
        origin = try OriginServer.start()
        folder = try TemporaryFolder()
    }

    /// Runs `body` with a manager that starts with an empty memory and the folder as it is.
    private func withManager<T>(_ body: (ImageManager) async throws -> T) async rethrows -> T {
        var configuration = ImageManager.Configuration()
        configuration.transport.addressPolicy = .unrestricted
        configuration.disk = .init(folder: folder.path)
        configuration.coders = coder.registry
        return try await withImageManager(configuration, body)
    }

    private func serve(_ path: String, _ format: EncodedFormat, seed: Int, tag: String? = nil) throws -> ImageRequest {
        let bytes = try ImageFactory.encoded(width: 64, height: 48, seed: seed, as: format)
        let reply = OriginReply.ok(bytes, type: format.contentType)
        origin.respond(to: path, with: tag.map { reply.entityTag($0) } ?? reply)
        return ImageRequest(origin.url(path))
    }

    @Test func `a picture comes from the network, then from memory, then from disk`() async throws {
        let request = try serve("/a.png", .png, seed: 11)
        try await withManager { manager in
            for source in [ImageSource.network, .memory] {
                let response = try await manager.load(request)
                expectEqual(response.source, source)
                expectEqual(ImageFactory.seed(of: response.image), 11)
            }
            expectEqual(manager.peek(request).flatMap { ImageFactory.seed(of: $0) }, 11)
        }
        try await withManager { manager in
            expectNil(manager.peek(request))
            let response = try await manager.load(request)
            expectEqual(response.source, .disk)
            expectEqual(ImageFactory.seed(of: response.image), 11)
        }
        expectEqual(origin.requests.count, 1)
    }

    @Test(arguments: [(0, 0), (0, 1), (1, 0)])
    func `of the two limits of a body the smaller counts`(missing: (downloader: Int, transport: Int)) async throws {
        let request = try serve("/a.png", .png, seed: 14)
        let count = try ImageFactory.encoded(width: 64, height: 48, seed: 14, as: .png).count
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted
        configuration.downloader.maximumByteCount = count - missing.downloader
        configuration.transport.maximumBodyByteCount = count - missing.transport
        try await withImageManager(configuration) { manager in
            guard missing != (0, 0) else {
                let image = try await manager.image(for: request)
                expectEqual(ImageFactory.seed(of: image), 14)
                return
            }
            let error = await expectError(ImageLoadError.self) { try await manager.image(for: request) }
            expectEqual(error?.code, .transferFailed)
            expectEqual((error?.cause as? HTTPError)?.code, .bodyTooLarge)
        }
    }

    @Test func `the original is delivered as it was sent, checked once and not decoded again`() async throws {
        let request = try serve("/a.gif", .gif, seed: 13)
        let sent = try ImageFactory.encoded(width: 64, height: 48, seed: 13, as: .gif)
        for source in [ImageSource.network, .disk] {
            try await withManager { manager in
                let file = try await manager.encodedImage(for: request)
                expectAll(file.bytes == sent, file.source == source, file.format == .gif, file.width == 64)
            }
        }
        expectEqual([coder.decodes, origin.requests.count], [1, 1])
    }

    @Test func `a variant comes from disk with the same pixels`() async throws {
        var request = try serve("/a.png", .png, seed: 14)
        request.transformers = [.resize(to: PixelSize(width: 20, height: 20), mode: .fill)]
        let made = try await withManager { try await $0.load(request) }
        let stored = try await withManager { try await $0.load(request) }
        expectAll(made.source == .network, stored.source == .disk, stored.image.isSame(as: made.image))
    }

    @Test func `a variant is made from the original on disk without asking the origin`() async throws {
        var request = try serve("/a.png", .png, seed: 15)
        _ = try await withManager { try await $0.load(request) }
        request.transformers = [.resize(to: PixelSize(width: 20, height: 20))]
        let variant = try await withManager { try await $0.load(request) }
        expectEqual(variant.source, .disk)
        expectEqual([variant.image.width, origin.requests.count], [20, 1])
    }

    @Test func `a page and a truncated picture are errors, and not stored`() async throws {
        // A page sent as a picture is an error and is not stored.
        origin.respond(to: "/a.png", with: .text("<html>not a picture</html>"))
        let request = ImageRequest(origin.url("/a.png"))
        for _ in 0..<2 {
            await withManager { manager in
                let error = await expectError(ImageLoadError.self) { try await manager.load(request) }
                expectEqual(error?.code, .undecodable)
            }
        }
        expectEqual(origin.requests.count, 2, "nothing came from disk")

        // A truncated picture is an error and is not stored.
        do {
            let bytes = try ImageFactory.encoded(width: 64, height: 48, seed: 16, as: .jpeg())
            origin.respond(to: "/a.jpg", with: .ok(ImageFactory.truncated(bytes), type: "image/jpeg"))
            let request = ImageRequest(origin.url("/a.jpg"))
            for format in [OutputFormat.original, .png] {
                try await withManager { manager in
                    let error = await expectError(ImageLoadError.self) {
                        try await manager.encodedImage(for: request, as: format)
                    }
                    expectEqual(error?.reason, "truncated")
                    let isStored = try await manager.diskCache?.contains(request.originalKey)
                    expectEqual(isStored, false)
                }
            }
        }
    }

    @Test func `revalidation sends the validators, and a 304 serves the stored picture`() async throws {
        var request = try serve("/a.png", .png, seed: 17, tag: "\"one\"")
        _ = try await withManager { try await $0.load(request) }
        request.cachePolicy = .revalidate
        let same = try await withManager { try await $0.load(request) }
        expectEqual(same.source, .disk)
        expectEqual(ImageFactory.seed(of: same.image), 17)
        expectEqual(origin.requests.last?.headers["If-None-Match"], "\"one\"")
        _ = try serve("/a.png", .png, seed: 18, tag: "\"two\"")
        let new = try await withManager { try await $0.load(request) }
        expectEqual(new.source, .network)
        expectEqual(ImageFactory.seed(of: new.image), 18)
        request.cachePolicy = .cacheFirst
        let stored = try await withManager { try await $0.load(request) }
        expectEqual(stored.source, .disk)
        expectEqual(ImageFactory.seed(of: stored.image), 18)
    }
}
