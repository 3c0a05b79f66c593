// SPDX-License-Identifier: MIT
import Foundation
import Testing
import WebImage
import WebImageTesting

/// The examples in the module's documentation, word for word.
@Suite(.timeLimit(.minutes(1))) struct DocumentationTests {
    @Test func `a thumbnail, and an orderly end`() async throws {
        try await withOriginServer { origin in
            let photo = try ImageFactory.encoded(width: 400, height: 300, seed: 1)
            origin.respond(to: "/photo.jpg", with: .ok(photo, type: "image/jpeg"))
            let url = origin.url("/photo.jpg")
            var configuration = ImageManager.Configuration()
            configuration.transport.addressPolicy = .unrestricted
            configuration.disk = nil

            let thumbnail = try await withImageManager(configuration) { manager in
                let box = PixelSize(width: 320, height: 320)
                let request = ImageRequest(
                    url, transformers: [.resize(to: box, mode: .fit)])
                return try await manager.encodedImage(
                    for: request, as: .webp(quality: 80))
            }
            #expect(thumbnail.width == 320)
            #expect(thumbnail.contentType == "image/webp")
            #expect(origin.requestCount(for: "/photo.jpg") == 1)
        }
    }

    @Test func `a failure names its status and says what to do`() async throws {
        try await withOriginServer { origin in
            let url = origin.url("/missing.jpg")
            var configuration = ImageManager.Configuration()
            configuration.transport.addressPolicy = .unrestricted
            configuration.disk = nil
            var messages: [String] = []

            try await withImageManager(configuration) { manager in
                do {
                    _ = try await manager.image(from: url)
                } catch let error as ImageLoadError
                    where error.code == .unacceptableStatus
                {
                    messages.append("\(error.status ?? 0): \(error.message)")
                }
            }
            #expect(messages.first?.hasPrefix("404: ") == true)
        }
    }
}
