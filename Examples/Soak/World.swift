// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// The source of the pictures, and a manager that loads them.
struct World: Sendable {
    enum Kind: String, CaseIterable {
        case stub = "a stub transport, memory and disk"
        case origin = "a web server on loopback, memory alone"
    }

    static let pictureCount = 60

    let manager: ImageManager
    private let origin: OriginServer?
    private let folder: URL?

    init(_ kind: Kind, seed: UInt64) throws {
        let pictures = try (0..<8).map { try ImageFactory.encoded(width: 48, height: 48, seed: $0, as: .png) }
        var configuration = ImageManager.Configuration()
        // Small enough to be full at once, so that the memory it takes does not grow later.
        configuration.memory.maximumCost = 1 << 20
        switch kind {
        case .stub:
            let folder = FileManager.default.temporaryDirectory.appending(path: "soak-\(UUID().uuidString)")
            configuration.disk?.folder = folder.path(percentEncoded: false)
            manager = ImageManager(
                configuration: configuration, transport: RestlessTransport(pictures: pictures, seed: seed))
            self.folder = folder
            origin = nil
        case .origin:
            configuration.disk = nil
            configuration.transport.addressPolicy = .unrestricted  // the origin is on loopback
            var limits = OriginServer.Configuration()
            limits.maximumRecordedRequestCount = 0
            let origin = try OriginServer.start(configuration: limits)
            origin.respondToEverything { Self.reply(to: $0.path, pictures) }
            manager = ImageManager(configuration: configuration)
            self.origin = origin
            folder = nil
        }
    }

    func url(_ number: Int) -> URL {
        origin?.url("/\(number)") ?? URL(string: "http://pictures.invalid/\(number)") ?? URL(filePath: "/")
    }

    /// Ends the manager, then the origin.
    func end() async -> ShutdownReport {
        let report = await manager.shutdown(within: .seconds(10))
        origin?.stop()
        if let folder { try? FileManager.default.removeItem(at: folder) }
        return report
    }

    static func number(in path: String) -> Int { Int(path.dropFirst()) ?? 0 }

    private static func reply(to path: String, _ pictures: [[UInt8]]) -> OriginReply {
        let number = number(in: path)
        let picture = OriginReply.ok(pictures[number % pictures.count], type: "image/png")
        switch number % 20 {
        case 0: return .status(404)
        case 1: return picture.truncated(after: 40)
        case 2: return picture.reset(after: 40)
        case 3: return picture.chunked(byteCount: 100)
        case 4, 5: return picture.dripping(byteCount: 200, every: .milliseconds(1))
        default: return picture
        }
    }
}
