// SPDX-License-Identifier: MIT
import HTTPTransport
import WebImage
import WebImageTesting

/// A server's handler for thumbnails, tried on an origin of its own.
@main
struct Thumbnailer {
    static func main() async throws {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let photo = try ImageFactory.encoded(width: 1_200, height: 800, seed: 7, as: .jpeg())
        origin.respond(to: "/photo.jpg", with: .ok(photo, type: "image/jpeg"))

        var configuration = ImageManager.Configuration()
        configuration.transport.addressPolicy = .unrestricted  // the origin is on loopback
        configuration.hooks.cacheKey = { $0.path() }  // the same picture whatever the query says
        let shelf = Shelf()
        let caches = ImageCaches(disk: shelf)
        let manager = ImageManager(
            configuration: configuration, caches: caches,
            transport: HTTPClient(configuration: configuration.transport))
        try await serve(manager, shelf, origin)
        _ = await manager.shutdown(within: .seconds(5))
        await caches.shutdown(within: .seconds(5))
    }

    private static func serve(_ manager: ImageManager, _ shelf: Shelf, _ origin: OriginServer) async throws {
        let size = PixelSize(width: 300, height: 300)
        let transformers: [any ImageTransforming] = [.resize(to: size, mode: .fit)]
        let request = ImageRequest(origin.url("/photo.jpg?visitor=1"), transformers: transformers)
        let again = ImageRequest(origin.url("/photo.jpg?visitor=2"), transformers: transformers)
        async let first = manager.encodedImage(for: request, as: .webp(quality: 80))
        async let second = manager.encodedImage(for: request, as: .webp(quality: 80))
        let (one, other) = try await (first, second)
        precondition(one.bytes == other.bytes && one.origin?.status == 200)

        await manager.flush()
        let stored = await shelf.count
        precondition(stored >= 1)
        let later = try await manager.encodedImage(for: again, as: .webp(quality: 80))
        precondition(later.source == .memory && origin.requests.count == 1)
        print(
            "\(one.contentType) \(one.width)x\(one.height), \(origin.requests.count) request for 3 callers, \(stored) stored"
        )

        try await manager.remove(request, from: .all)
        let left = await shelf.count
        precondition(left == 0)
    }
}
