// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Untrusted addresses and pictures", word for word.
@Suite(.timeLimit(.minutes(1))) struct SecurityDocumentationTests {
    @Test func `an address policy holds for redirects`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/photo.jpg", with: .ok(try Example.photo.get(), type: "image/jpeg"))
            let elsewhere = origin.url("/photo.jpg", host: "127.0.0.2")
            origin.respond(to: "/away.jpg", with: .redirect(to: elsewhere.absoluteString))
            let url = origin.url("/photo.jpg")
            let ownNetwork = IPNetwork("127.0.0.1/32")!
            var configuration = ImageManager.Configuration()
            configuration.disk = nil

            configuration.transport.addressPolicy = .publicInternet(
                allowing: [ownNetwork])
            configuration.transport.addressPolicy.allowedHosts = [
                "*.example.org", "127.0.0.1",
            ]

            try await withImageManager(configuration) { manager in
                let image = try await manager.image(from: url)
                #expect(image.width == 400)
                let away = origin.url("/away.jpg")
                await #expect(throws: ImageLoadError.self) { try await manager.image(from: away) }
            }
        }
    }

    @Test func `limits for one untrusted source`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            await withImageManager(configuration) { manager in
                var request = ImageRequest(url)
                request.limits = ImageLimits(
                    maximumPixelCount: 100_000, maximumFrameCount: 1)
                request.transfer.maximumBodyByteCount = 2_000_000
                request.transfer.totalTimeout = .seconds(5)
                await #expect(throws: ImageLoadError.self) { try await manager.image(for: request) }
            }
        }
    }

    @Test func `a signed request keeps its picture off the disk`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let (folder, token) = (try TemporaryFolder(), "secret")
            var configuration = configuration
            configuration.disk = DiskCache.Configuration(folder: folder.path)
            try await withImageManager(configuration) { manager in
                var request = ImageRequest(url)
                request.headers["Authorization"] = "Bearer \(token)"
                _ = try await manager.image(for: request)
            }
            expectEmpty(folder.entryFiles)
        }
    }
}
