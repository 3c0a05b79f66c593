// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import Scenes

@Suite("Scenes")
struct SceneTests {
    @Test func `neighbours show scenes of two kinds, and ten in a row of all kinds`() {
        for seed in 1..<5_000 { expect(SceneKind(seed) != SceneKind(seed - 1), "\(seed)") }
        for block in 0..<50 { expectEqual(Set((0..<10).map { SceneKind(block * 10 + $0) }).count, 10) }
        expect(Set((0..<50).map { SceneKind($0 * 10) }).count, >, 5)
    }

    @Test(arguments: 0..<10) func `each kind of scene is drawn at every size`(seed: Int) {
        for (width, height) in [(1, 1), (1, 300), (300, 1), (3, 2), (15, 15)] {
            let picture = SceneFactory.picture(width: width, height: height, seed: seed)
            expectEqual(picture.size, PixelSize(width: width, height: height))
            expect(stride(from: 3, to: picture.byteCount, by: 4).allSatisfy { picture.pixels[$0] == 255 })
        }
    }

    /// The digests are those of the scenes as they are now: they tell one machine from another, not right from wrong.
    @Test func `the pixels are the same on every machine`() {
        let digests = (0..<10).map { seed in
            let pixels = SceneFactory.picture(width: 96, height: 64, seed: seed).pixels
            return pixels.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        expectEqual(digests, Self.digests)
    }

    private static let digests: [UInt64] = [
        514_130_856_336_773_349, 4_303_474_805_509_072_315, 17_427_818_299_247_811_346, 7_567_722_015_305_677_212,
        11_140_865_599_389_004_783, 1_391_175_791_492_751_457, 7_751_618_517_489_079_362, 7_434_337_880_608_244_250,
        14_496_112_597_482_431_396, 9_868_950_017_944_208_553,
    ]

    @Test(arguments: 0..<10) func `every kind of scene moves, and each frame carries the seed`(seed: Int) throws {
        for (width, height) in [(8, 8), (20, 16), (64, 48)] {
            let still = SceneFactory.picture(width: width, height: height, seed: seed)
            let moving = SceneFactory.picture(width: width, height: height, frames: 2, seed: seed)
            expectEqual(moving.frames[0].pixels, still.pixels)
            expect(moving.frames[1].pixels != still.pixels)
            guard height >= 16 else { continue }
            expect(
                moving.frames.allSatisfy { frame in
                    let size = PixelSize(width: width, height: height)
                    let one = try? DecodedImage(
                        width: size.width, height: size.height, frames: [frame], hasAlpha: false)
                    return one.flatMap { ImageFactory.seed(of: $0) } == seed
                })
        }
    }

    @Test func `the waves are sines to a thousandth`() {
        let known: [(Float, Float)] = [
            (0, 0), (0.25, 1), (0.5, 0), (0.75, -1), (1 / 12, 0.5), (-1.125, -0.7071), (7.25, 1),
        ]
        for (turns, sine) in known { expect(abs(Curve.sine(turns) - sine), <, 0.0015, "\(turns)") }
    }
}
