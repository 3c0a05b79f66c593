// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Testing your own code", word for word.
@Suite(.timeLimit(.minutes(1))) struct TestingDocumentationTests {
    struct Avatars {
        let loader: any ImageLoading

        func avatar(at url: URL) async -> DecodedImage? {
            let box = PixelSize(width: 64, height: 64)
            let request = ImageRequest(url, transformers: [.resize(to: box)])
            return try? await loader.load(request).image
        }
    }

    struct Fixed: ImageLoading {
        let image: DecodedImage

        func load(_ request: ImageRequest) async throws -> ImageResponse {
            ImageResponse(image: image, format: .png, source: .memory)
        }

        func encodedImage(
            for request: ImageRequest, as format: OutputFormat,
            onProgress: (@Sendable (LoadProgress) -> Void)?
        ) async throws -> EncodedImage {
            throw ImageLoadError(
                code: .notInCache, message: "This loader has pictures only.")
        }
    }

    @Test func `code that takes a loader gets a picture`() async throws {
        let url = URL(string: "https://example.org/anna.png")!
        let picture = ImageFactory.picture(width: 64, height: 64, seed: 5)
        let avatars = Avatars(loader: Fixed(image: picture))
        let avatar = await avatars.avatar(at: url)
        #expect(avatar.flatMap(ImageFactory.seed(of:)) == 5)
    }

    @Test func `a stub answers without a network`() async throws {
        let loader = StubLoader()
        let file = try ImageFactory.encoded(width: 400, height: 300, seed: 1)
        loader.respond(
            to: "/anna.jpg",
            with: .status(503), .ok(file, type: "image/jpeg"))
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        let manager = ImageManager(configuration: configuration, transport: loader)

        let avatars = Avatars(loader: manager)
        let url = URL(string: "https://example.org/anna.jpg")!
        #expect(await avatars.avatar(at: url) == nil)
        #expect(await avatars.avatar(at: url)?.width == 64)
        #expect(loader.requestCount(for: "/anna.jpg") == 2)
        await expect(manager.shutdown(within: .seconds(5)).isClean)
    }

    @Test func `an origin answers slowly, wrongly or not at all`() async throws {
        try await withOriginServer { origin in
            let gate = OriginGate()
            let file = try ImageFactory.encoded(width: 400, height: 300, seed: 1)
            let whole = OriginReply.ok(file, type: "image/jpeg")
            origin.respond(to: "/slow.jpg", with: whole.held(at: gate))
            let half = ImageFactory.truncated(file)
            origin.respond(to: "/broken.jpg", with: .ok(half, type: "image/jpeg"))

            var configuration = ImageManager.Configuration()
            configuration.disk = nil
            configuration.transport.addressPolicy = .publicInternet(
                allowing: IPNetwork.loopback)
            try await withImageManager(configuration) { manager in
                async let first = manager.image(from: origin.url("/slow.jpg"))
                async let second = manager.image(from: origin.url("/slow.jpg"))
                #expect(await gate.waitUntilReached())
                gate.open()
                let widths = try await [first.width, second.width]
                #expect(widths == [400, 400])
                #expect(origin.requestCount(for: "/slow.jpg") == 1)
                await #expect(throws: ImageLoadError.self) {
                    try await manager.image(from: origin.url("/broken.jpg"))
                }
            }
        }
    }
}
