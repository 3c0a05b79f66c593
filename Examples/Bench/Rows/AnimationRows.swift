// SPDX-License-Identifier: MIT
import CBenchBaselines
import ImageCoding

extension Family {
    static let animation = Family(
        name: "animation", summary: "a GIF of 100 frames of 500×500 on demand, against giflib in C"
    ) { effort, show in
        let (count, side) = (100, 500)
        let file = try movingStripes(frames: count, side: side)
        let options = DecodeOptions(framesOnDemand: true)
        let first = try await measure(
            effort, decoding("ImageCoders", file, options), giflib("giflib in C, one frame", file, frames: 1))
        show(Row("animation-first-frame", first[0], against: first[1], by: .cpu, atMost: 1.5))
        let all = try await measure(
            effort,
            Contender("frames in order") { repeats in
                for _ in 0..<repeats {
                    let image = try ImageCoders.default.decode(file, options: options)
                    for index in 0..<count { blackHole(try image.frame(at: index)) }
                }
            }, giflib("giflib in C, all frames", file, frames: count))
        show(Row("animation-frames", all[0], against: all[1], by: .cpu, atMost: 1.5))
        let shared = try await measure(
            effort,
            Contender("three players in step") { repeats in
                for _ in 0..<repeats { try await play(ImageCoders.default.decode(file, options: options)) }
            }, giflib("giflib in C, all frames", file, frames: count))
        show(Row("animation-three-players", shared[0], against: shared[1], by: .cpu, atMost: 1.5))
    }

    /// Three players that show every frame at the same time.
    private static func play(_ image: DecodedImage) async throws {
        let players = (0..<3).map { _ in AnimationPlayer(image) }
        var readers = players.map { $0.makeAsyncIterator() }
        for player in players { player.pause() }
        for frame in 0..<image.frameCount {
            for index in readers.indices {
                players[index].seek(to: frame)
                blackHole(try await readers[index].next())
            }
        }
    }

    private static func movingStripes(frames: Int, side: Int) throws -> [UInt8] {
        let images = (0..<frames).map { index in
            let pixels = (0..<side * side).flatMap { place -> [UInt8] in
                let (x, y) = (place % side + index * 3, place / side)
                return [UInt8(x / 4 % 16 * 16), UInt8(y / 8 % 16 * 16), UInt8((x + y) / 16 % 4 * 64), 255]
            }
            return DecodedImage.Frame(pixels: pixels, duration: .milliseconds(40))
        }
        return try ImageCoders.default.encode(
            DecodedImage(width: side, height: side, frames: images, hasAlpha: false), as: .gif(isDithered: false))
    }

    private static func giflib(_ name: String, _ file: [UInt8], frames: Int) -> Contender {
        Contender(name) { count in
            for _ in 0..<count where unsafe bench_gif_decode(file, file.count, Int32(frames)) != frames {
                throw Failure("giflib refuses the animation")
            }
        }
    }
}
