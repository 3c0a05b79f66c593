// SPDX-License-Identifier: MIT
import WebImageTesting

/// Firs as an outline.
enum Fir {
    /// A row of firs of many sizes.
    ///
    /// - Parameters:
    ///   - ground: The y of their feet.
    ///   - tallest: The height of the tallest.
    ///   - count: How many in a square picture.
    static func row(
        _ view: View, _ random: inout SeededGenerator, ground: Float, tallest: Float, count: Int, _ tone: Tone,
        foot: Tone, noise: Noise, gap: Float = 0
    ) -> Ridge {
        let land = noise.curve(3, tallest * 0.35, in: view, x: 2.1, y: ground * 40 + 7)
        var heights = land
        for index in heights.indices { heights[index] += ground }
        for _ in 0..<Int(Float(count) * view.aspect) {
            let x = random.between(-0.02, view.aspect + 0.02)
            let size = tallest * random.between(0.35, 1)
            let lean = random.between(0.17, 0.25)
            let isLeft = gap > 0 && abs(x - view.aspect / 2) < gap * view.aspect / 2
            if !isLeft { plant(&heights, land, view, x: x, ground: ground, size: size, wide: lean) }
        }
        var ridge = Ridge(heights, crest: tone, foot: foot, depth: tallest * 1.1, in: view)
        ridge.level = ground - tallest * 0.8
        return ridge
    }

    private static func plant(
        _ heights: inout [Float], _ land: [Float], _ view: View, x: Float, ground: Float, size: Float, wide: Float
    ) {
        for index in view.column(x - size * wide)..<view.column(x + size * wide) {
            let side = abs((Float(index) + 0.5) * view.step - x) / (size * wide)
            guard side < 1 else { continue }
            // Branches: the side of the tree is a saw, finer towards its top.
            let tier = side * 7
            let saw = (tier - tier.rounded(.down)) * 0.1
            let top = ground + land[index] - size * (1 - side.squareRoot() * 0.35 - side * 0.65 + saw * (1 - side))
            heights[index] = min(heights[index], top)
        }
    }
}
