// SPDX-License-Identifier: MIT
import Testing

@testable import WebImageTesting

@Suite("Scenes")
struct SceneTests {
    @Test
    func `neighbours show scenes of two kinds, and ten in a row of all kinds`() {
        for seed in 1..<5_000 { #expect(SceneKind(seed) != SceneKind(seed - 1), "\(seed)") }
        for block in 0..<50 { #expect(Set((0..<10).map { SceneKind(block * 10 + $0) }).count == 10) }
        #expect(Set((0..<50).map { SceneKind($0 * 10) }).count > 5)
    }

    @Test
    func `the seed changes a large picture in blue alone, and by little`() throws {
        let mark = try #require(SeedMark(width: 320, height: 200))
        for seed in [0, 12_345, 65_535] {
            let plain = [[UInt8]](repeating: [128, 128, 128, 255], count: 320 * 200).flatMap { $0 }
            var marked = plain
            mark.write(seed, into: &marked)
            #expect(mark.seed(in: marked) == seed)
            let changes = zip(plain, marked).map { abs(Int($0) - Int($1)) }
            let blue = stride(from: 2, to: changes.count, by: 4).map { changes[$0] }
            #expect(changes.reduce(0, +) == blue.reduce(0, +), "red, green and alpha stay")
            #expect(blue.reduce(0, +) < 6 * blue.count)
        }
    }

    @Test
    func `black, white and transparent pixels carry a seed`() throws {
        for side in [16, 40, 90, 200] {
            let mark = try #require(SeedMark(width: side, height: side))
            for levels in [[0, 0, 0, 255], [255, 255, 255, 255], [255, 0, 0, 255]] as [[UInt8]] {
                let clear = [[UInt8]](repeating: [0, 0, 0, 0], count: side / 4 * side)
                let rest = [[UInt8]](repeating: levels, count: (side - side / 4) * side)
                var pixels = (clear + rest).flatMap { $0 }
                mark.write(40_000, into: &pixels)
                #expect(mark.seed(in: pixels) == 40_000, "\(side) \(levels)")
                #expect(pixels[..<(side / 4 * side * 4)].allSatisfy { $0 == 0 }, "what is transparent stays so")
            }
        }
    }

    @Test
    func `the waves are sines to a thousandth`() {
        let known: [(Float, Float)] = [
            (0, 0), (0.25, 1), (0.5, 0), (0.75, -1), (1 / 12, 0.5), (-1.125, -0.7071), (7.25, 1),
        ]
        for (turns, sine) in known { #expect(abs(Curve.sine(turns) - sine) < 0.0015, "\(turns)") }
    }
}
