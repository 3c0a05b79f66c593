// SPDX-License-Identifier: MIT
import Foundation
import Locks
import Scenes
import WebImageBinding
import WebImageTesting

/// A server on this machine with generated pictures. Each picture carries its index in its pixels.
final class DemoOrigin: Sendable {
    private let origin: OriginServer
    private let count: Int
    private let size: PixelSize
    private let isStill: Bool
    /// How replies leave; `nil` for at once.
    private let pieces: Mutex<Pieces?>
    private let usual: Pieces?
    private let pace = Pace()
    private let files = Mutex<[Int: [UInt8]]>([:])

    /// The number of pieces of a reply: the least, and how many more there may be.
    struct Pieces: Sendable {
        var least: Int
        var more = 0

        /// Two seconds for every picture.
        static let slow = Pieces(least: 20)
    }

    /// - Parameters:
    ///   - count: How many pictures there are.
    ///   - size: Their size; animations have half of it.
    ///   - pieces: In how many pieces replies leave, unless the origin is slow; `nil` for at once. Pieces wait for
    ///     ``release(at:)``.
    ///   - isStill: Whether no picture is an animation.
    init(count: Int, size: PixelSize, pieces: Pieces? = nil, isStill: Bool = false) throws {
        self.count = count
        self.size = size
        self.isStill = isStill
        usual = pieces
        self.pieces = Mutex(pieces)
        origin = try OriginServer.start()
        for index in 0..<count {
            origin.respond(to: path(index)) { [weak self] _ in self?.reply(index) ?? .status(503) }
        }
    }

    var items: [Item] {
        (0..<count).map { index in
            // The port differs from run to run; the pictures do not.
            Item(
                url: origin.url(path(index)), name: kind(index).name,
                cacheKey: "gallery/scenes/\(size)\(path(index))")
        }
    }

    func setSlow(_ isSlow: Bool) { pieces.withLock { $0 = isSlow ? .slow : usual } }

    /// Lets the pieces leave whose time has come.
    ///
    /// - Parameter now: The time since the start of the program, or of its script.
    func release(at now: Duration) { pace.release(at: now) }

    /// Replies that wait for a release.
    var heldCount: Int { pace.waitingCount }

    func stop() {
        pace.end()
        origin.stop()
    }

    /// Makes every picture now instead of on its first request, so that a measurement does not include it.
    ///
    /// - Parameter tell: Gets the number of pictures that are made, after each fifty.
    func makeEverything(_ tell: @escaping @Sendable (Int) -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for part in 0..<2 {
                group.addTask {
                    for index in stride(from: part, to: self.count, by: 2) {
                        _ = try self.file(index)
                        let made = self.files.withLock { $0.count }
                        if made % 50 == 0 { tell(made) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Ten pictures in a row show ten kinds of scenes.
    private func path(_ index: Int) -> String {
        "/\(SceneFactory.name(seed: index))\(index < 10 ? "" : "-\(index)").\(kind(index).name)"
    }

    private func reply(_ index: Int) -> OriginReply {
        guard let bytes = try? file(index) else { return .status(500) }
        let reply = OriginReply.ok(bytes, type: kind(index).format.contentType)
        guard let pieces = pieces.withLock({ $0 }) else { return reply }
        // Which picture takes longer is the same in every run.
        let more = pieces.more > 0 ? index * 7 % (pieces.more + 1) : 0
        return pace.paced(reply, pieces: pieces.least + more)
    }

    private func file(_ index: Int) throws -> [UInt8] {
        if let known = files.withLock({ $0[index] }) { return known }
        let kind = kind(index)
        let part = kind.frames > 1 ? 2 : 1
        let bytes = try SceneFactory.encoded(
            width: size.width / part, height: size.height / part, frames: kind.frames, seed: index, as: kind.format)
        files.withLock { $0[index] = bytes }
        return bytes
    }

    /// The kind of a picture: mostly photographs, some drawings, two animations in every ten.
    private func kind(_ index: Int) -> (name: String, format: EncodedFormat, frames: Int) {
        switch isStill ? 0 : index % 10 {
        case 2: ("png", .png, 1)
        case 3: ("gif", .gif, 8)
        case 5: ("webp", .webp(), 1)
        case 7: ("webp", .webp(), 8)
        default: ("jpeg", .jpeg(isProgressive: true), 1)
        }
    }
}
