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
        configuration.disk = nil
        configuration.transport.addressPolicy = .unrestricted  // the origin is on loopback
        try await withImageManager(configuration) { manager in
            let size = PixelSize(width: 300, height: 300)
            let request = ImageRequest(origin.url("/photo.jpg"), transformers: [.resize(to: size, mode: .fit)])
            async let first = manager.encodedImage(for: request, as: .webp(quality: 80))
            async let second = manager.encodedImage(for: request, as: .webp(quality: 80))
            let (one, other) = try await (first, second)
            precondition(one.bytes == other.bytes && origin.requests.count == 1)
            print("\(one.contentType) \(one.width)x\(one.height), \(origin.requests.count) request for 2 callers")
        }
    }
}
