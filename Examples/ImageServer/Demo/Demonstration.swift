// SPDX-License-Identifier: MIT
import PlatformBasics
import Scenes
import SignedAddresses
import WebImage
import WebImageTesting

/// Generated pictures in several formats, served from this machine: what the server shows itself with.
struct Demonstration: Sendable {
    private let origin: OriginServer
    let samples: [DemoPage.Sample]

    /// - Throws: What the origin or an encoder throws.
    init() throws {
        let origin = try OriginServer.start()
        self.origin = origin
        samples = try Self.pictures.map { picture in
            let path = "/" + picture.name
            let file = try picture.file()
            let reply = OriginReply.ok(file, type: picture.format.contentType)
            origin.respond(to: path, with: reply.lastModified(Date(timeIntervalSince1970: 1e9)))
            return DemoPage.Sample(name: picture.name, url: origin.url(path).absoluteString)
        }
    }

    /// Lets a server fetch the pictures without a signature, and show them on its page.
    func prepare(_ settings: inout Settings) {
        settings.allowsUnsigned = true
        settings.keys = [SigningKey(hexadecimal: (0..<32).map { _ in Self.randomByte() }.joined())!]  // 64 digits
        settings.allowedHosts = ["127.0.0.1"]
        settings.allowedNetworks = [IPNetwork("127.0.0.1/32")!]  // a network of one address
        settings.showsPage = true
    }

    /// Three addresses of pictures, the last one signed.
    func addresses(of settings: Settings) throws -> [String] {
        let unsigned = AddressReader(allowsUnsigned: true)
        return [
            try unsigned.address(options: "w480", source: samples[0].url, isPlain: true),
            try unsigned.address(options: "w240,h240,fill,webp,q70", source: samples[1].url),
            try settings.reader.address(options: "w320,still,png", source: samples[3].url),
        ]
    }

    func stop() { origin.stop() }

    private static func randomByte() -> String {
        let digits = String(UInt8.random(in: 0...255), radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    private struct Picture {
        let name: String
        let format: EncodedFormat
        let seed: Int
        var frames = 1

        func file() throws -> [UInt8] {
            let part = frames > 1 ? 2 : 1
            return try SceneFactory.encoded(
                width: 1_280 / part, height: 800 / part, frames: frames, seed: seed, as: format)
        }
    }

    private static let pictures = [
        Picture(name: "photo.jpg", format: .jpeg(quality: 92), seed: 18),
        Picture(name: "drawing.png", format: .png, seed: 7),
        Picture(name: "picture.webp", format: .webp(quality: 90), seed: 1),
        Picture(name: "animation.gif", format: .gif, seed: 6, frames: 8),
    ]
}
