import Foundation
import Synchronization
import WebImageBinding
import WebImageTesting

/// A server on this machine with generated pictures. Each picture shows its index in its pixels.
final class DemoOrigin: Sendable {
    private let origin: OriginServer
    private let count: Int
    private let size: PixelSize
    private let isSlow = Atomic<Bool>(false)
    private let files = Mutex<[Int: [UInt8]]>([:])

    /// - Parameters:
    ///   - count: How many pictures there are.
    ///   - size: Their size; animations have half of it.
    init(count: Int, size: PixelSize) throws {
        self.count = count
        self.size = size
        origin = try OriginServer.start()
        for index in 0..<count {
            origin.respond(to: path(index)) { [weak self] _ in self?.reply(index) ?? .status(503) }
        }
    }

    var items: [Item] {
        (0..<count).map { index in
            // The port differs from run to run; the pictures do not.
            Item(
                url: origin.url(path(index)), name: Self.kind(index).name,
                cacheKey: "gallery/\(size)\(path(index))")
        }
    }

    func setSlow(_ isSlow: Bool) { self.isSlow.store(isSlow, ordering: .relaxed) }

    func stop() { origin.stop() }

    /// Makes every picture now instead of on its first request, so that a measurement does not include it.
    func makeEverything() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<2 {
                group.addTask {
                    for index in stride(from: part, to: self.count, by: 2) { _ = try self.file(index) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func path(_ index: Int) -> String { "/\(index).\(Self.kind(index).name)" }

    private func reply(_ index: Int) -> OriginReply {
        guard let bytes = try? file(index) else { return .status(500) }
        let reply = OriginReply.ok(bytes, type: Self.kind(index).format.contentType)
        guard isSlow.load(ordering: .relaxed) else { return reply }
        return reply.dripping(byteCount: max(1, bytes.count / 20), every: .milliseconds(100))
    }

    private func file(_ index: Int) throws -> [UInt8] {
        if let known = files.withLock({ $0[index] }) { return known }
        let kind = Self.kind(index)
        let bytes =
            kind.frames > 1
            ? try ImageFactory.encodedAnimation(
                width: size.width / 2, height: size.height / 2, frames: kind.frames, seed: index, as: kind.format)
            : try ImageFactory.encoded(width: size.width, height: size.height, seed: index, as: kind.format)
        files.withLock { $0[index] = bytes }
        return bytes
    }

    /// The kind of a picture: mostly photographs, some drawings, two animations in every ten.
    private static func kind(_ index: Int) -> (name: String, format: EncodedFormat, frames: Int) {
        switch index % 10 {
        case 2: ("png", .png, 1)
        case 3: ("gif", .gif, 8)
        case 5: ("webp", .webp(), 1)
        case 7: ("webp", .webp(), 8)
        default: ("jpeg", .jpeg(), 1)
        }
    }
}
