// SPDX-License-Identifier: MIT
import ImageCoding
import WebImageTesting

extension Family {
    static let views = Family(
        name: "views",
        summary: "the most memory of long animations on views, against 24 MB for 600 frames of 1,000×1,000 on three in"
            + " step, and a canvas for each further place",
        isOnRequest: true
    ) { _, show in
        PeakMemory.prepare()
        for (name, frames, side, places, limit) in [
            ("three-in-step", 600, 1_000, [0, 0, 0], 24e6), ("one-place-more", 600, 1_000, [0, 0, 0, 300], 28e6),
            ("two-places-more", 600, 1_000, [0, 0, 0, 200, 400], 32e6), ("recording", 250, 500, [0], 6e6),
            ("sticker", 600, 200, [0], 2e6),
        ] {
            let file = try longAnimation(frames: frames, side: side)
            let peak = try await PeakMemory.of { try await play(file, at: places) }
            show(
                Row(
                    "views-\(name)", peak, against: "\(Int(limit / 1e6)) MB", limit, by: .bytes, atMost: 1,
                    note: "\(frames) frames of \(side)×\(side)"))
        }
    }

    /// Plays a file on views, each of which holds the frame that it shows.
    ///
    /// - Parameter places: The first frame of each view.
    private static func play(_ file: [UInt8], at places: [Int]) async throws {
        let clock = ManualClock()
        let image = try ImageCoders.default.decode(file, options: DecodeOptions(framesOnDemand: true))
        var readers = places.map { place in
            let player = AnimationPlayer(image, clock: clock)
            player.seek(to: place)
            return player.makeAsyncIterator()
        }
        var shown = [PlayedFrame?](repeating: nil, count: places.count)
        for _ in 0..<100 {
            for view in readers.indices { shown[view] = try await readers[view].next() }
            blackHole(shown)
            clock.advance(by: .milliseconds(100))
        }
    }

    /// An animation whose frames after the second are the third one, again and again.
    private static func longAnimation(frames: Int, side: Int) throws -> [UInt8] {
        func encoded(_ count: Int) throws -> [UInt8] {
            let frames = (0..<count).map { index in
                let pixels = (0..<side * side).flatMap { place -> [UInt8] in
                    let isMarked = place / side < 40 && place % side < 40 * index
                    return isMarked ? [200, 40, 40, 255] : [UInt8(place / side % 16 * 16), 90, 120, 255]
                }
                return DecodedImage.Frame(pixels: pixels, duration: .milliseconds(100))
            }
            return try ImageCoders.default.encode(
                DecodedImage(width: side, height: side, frames: frames, hasAlpha: false), as: .gif(isDithered: false))
        }
        let (two, three) = (try encoded(2).dropLast(), try encoded(3))
        guard three.starts(with: two) else { throw Failure("a GIF of three frames begins otherwise than one of two") }
        return two + (2..<frames).flatMap { _ in three[two.count..<three.count - 1] } + three.suffix(1)
    }
}
