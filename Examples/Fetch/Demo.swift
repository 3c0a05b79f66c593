import Foundation
import WebImage
import WebImageTesting

/// The demonstration of `fetch` without a URL: generated pictures in every format, served from this machine.
enum Demo {
    static func run(_ options: Options, _ screen: Screen) async throws -> Int32 {
        let origin = try OriginServer.start()
        defer { origin.stop() }
        var options = options
        options.allowsPrivate = true  // the origin is on loopback
        let jobs = try pictures.enumerated().map { seed, picture in
            let path = "/" + picture.name
            origin.respond(to: path, with: .ok(try picture.encoded(seed), type: picture.format.contentType))
            // The port differs from run to run; the pictures do not.
            return Job(text: origin.url(path).absoluteString, cacheKey: "demo" + path)
        }
        return try await Batch(options, jobs, screen).run()
    }

    private struct Picture {
        let name: String
        let format: EncodedFormat
        var frames = 1

        func encoded(_ seed: Int) throws -> [UInt8] {
            if frames == 1 { return try ImageFactory.encoded(width: 640, height: 400, seed: seed, as: format) }
            return try ImageFactory.encodedAnimation(width: 320, height: 200, frames: frames, seed: seed, as: format)
        }
    }

    private static let pictures = [
        Picture(name: "photo.jpg", format: .jpeg()),
        Picture(name: "progressive.jpg", format: .jpeg(isProgressive: true)),
        Picture(name: "drawing.png", format: .png),
        Picture(name: "drawing.gif", format: .gif),
        Picture(name: "animation.gif", format: .gif, frames: 8),
        Picture(name: "picture.webp", format: .webp()),
        Picture(name: "lossless.webp", format: .losslessWebP),
        Picture(name: "animation.webp", format: .webp(), frames: 8),
    ]
}
