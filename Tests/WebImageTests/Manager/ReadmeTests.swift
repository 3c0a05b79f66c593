// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The README's program, word for word but for the address.
@Suite(.timeLimit(.minutes(1))) struct ReadmeTests {
    @Test func `the first program of the README runs`() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let photo = try ImageFactory.encoded(width: 400, height: 300, seed: 1)
        origin.respond(to: "/photo.jpg", with: .ok(photo, type: "image/jpeg"))
        var configuration = ImageManager.Configuration()
        configuration.transport.addressPolicy = .unrestricted
        configuration.disk = nil
        configuration.keepsPicturesOfFiles = true
        let manager = ImageManager(configuration: configuration)
        let url = origin.url("/photo.jpg")

        let image = try await manager.image(from: url)
        let request = ImageRequest(url, transformers: [.resize(to: PixelSize(width: 320, height: 320), mode: .fill)])
        let thumbnail = try await manager.encodedImage(for: request, as: .webp(quality: 80))
        let now = manager.peek(request)

        var fractions: [Double] = []
        for try await event in manager.events(for: request) {
            if case .progress(let progress) = event { fractions.append(progress.fraction ?? 0) }
        }
        var sources: [ImageSource] = []
        for await outcome in manager.images(for: [request]) { sources.append(try outcome.result.get().source) }
        let report = await manager.shutdown(within: .seconds(10))

        expectEqual(image.width, 400)
        expectEqual(thumbnail.contentType, "image/webp")
        expectEqual(now?.width, thumbnail.width)
        expectAll(fractions.isEmpty, sources == [.memory], report.isClean, origin.requests.count == 1)
    }
}
