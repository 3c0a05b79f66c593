// SPDX-License-Identifier: MIT
import WebImageTesting

/// Rolling hills with round trees, under hot-air balloons.
struct HillScene: Scene {
    private struct Balloon {
        let x: Float
        let y: Float
        let size: Float
        let tones: [Tone]
        let start: Float
    }

    private struct Tree {
        let x: Float
        let y: Float
        let size: Float
        let tone: Tone
    }

    private var sky: Sky
    private var hills: [Ridge] = []
    private var trees: [[Tree]] = []
    private var balloons: [Balloon] = []
    private let grass: Noise

    private static let silks: [[Int]] = [
        [0xD9483B, 0xF6E7C8, 0xE8A33D], [0x2F6F9F, 0xF4EFE2, 0xE9695C], [0x6C4A8C, 0xF2C14E, 0xF7EBDD],
        [0x2E8B7A, 0xF3D9A4, 0xE76F51], [0xC2385E, 0xF7C59F, 0x3D5A80], [0xF2A33A, 0xFDF3DC, 0xB23A48],
    ]
    private static let greens: [[Int]] = [
        [0x5E9140, 0x2F5F33], [0x7FA044, 0x3B6A35], [0x9AA14B, 0x56702F], [0xC09A45, 0x6F6B2E], [0x4F8A5B, 0x1F5148],
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        sky = Sky(&random, view, hours: [0, 1, 2, 3, 4, 7])
        sky.horizon = 0.66
        let noise = Noise(&random)
        grass = Noise(&random)
        let greens = random.choice(Self.greens).map(Tone.init)
        let start = random.between(0.5, 0.6)
        for index in 0..<5 {
            let part = Float(index) / 4
            let outline = Ridge.outline(
                noise, view, at: random.between(0, 90), level: start + 0.33 * part, amount: 0.1,
                scale: 0.9 + 0.25 * part,
                octaves: 3)
            let tone = greens[0].mixed(greens[1], part * 0.9).mixed(sky.haze, 0.68 * (1 - part) * (1 - part * 0.4))
            var hill = Ridge(
                outline, crest: tone.mixed(sky.light, 0.24), foot: tone.scaled(0.78).mixed(sky.haze, 0.3 * (1 - part)),
                depth: 0.2, in: view)
            hill.relief = sky.sunX > view.aspect / 2 ? -0.3 : 0.3
            hill.lean = 0.2
            hills.append(hill)
            trees.append(Self.trees(on: outline, view, &random, part, greens[1].mixed(sky.haze, 0.6 * (1 - part))))
        }
        let count = 1 + random.next(below: 4)
        for index in 0..<count {
            let place = (Float(index) + random.between(0.2, 0.8)) / Float(count)
            balloons.append(
                Balloon(
                    x: view.aspect * place, y: random.between(0.14, 0.4),
                    size: random.between(0.035, count == 1 ? 0.13 : 0.095),
                    tones: random.choice(Self.silks).map(Tone.init),
                    start: random.between(0, 1)))
        }
        balloons.sort { $0.size < $1.size }
    }

    private static func trees(
        on outline: [Float], _ view: View, _ random: inout SeededGenerator, _ part: Float, _ tone: Tone
    ) -> [Tree] {
        guard part > 0 else { return [] }
        let middles = (0..<3).map { _ in random.between(0, view.aspect) }
        return (0..<26).map { _ in
            let x = random.choice(middles) + random.between(-0.16, 0.16) * random.between(0, 1)
            let column = max(0, min(view.width - 1, Int(x / view.step)))
            let size = (0.007 + 0.016 * part) * random.between(0.7, 1.3)
            return Tree(
                x: x, y: outline[column] + random.between(0, 0.02 + 0.05 * part), size: size,
                tone: tone.scaled(random.between(0.72, 1)))
        }.sorted { $0.y < $1.y }
    }

    func paint(_ line: Line) {
        let first = hills.lastIndex { $0.covers(line.y) } ?? 0
        if first == 0 {
            sky.paint(line)
            for balloon in balloons { paint(balloon, line) }
        }
        for index in first..<hills.count {
            guard line.y > hills[index].top - 0.06 else { continue }
            hills[index].paint(line)
            for tree in trees[index] where abs(line.y - tree.y) < tree.size * 2.3 + line.view.pixel {
                paint(tree, line)
            }
        }
        if line.y > 0.6 {
            line.clearMask()
            line.addNoise(grass, 4, 1, x: 7, y: line.y * 22)
            line.shade(0.14 * Curve.smooth(0.6, 1, line.y))
        }
    }

    private func paint(_ tree: Tree, _ line: Line) {
        let light: Float = sky.sunX > tree.x ? 0.3 : -0.3
        line.ellipse(
            x: tree.x - light * tree.size * 4, y: tree.y, tree.size * 1.7, tree.size * 0.3, tree.tone.scaled(0.6), 0.5)
        let (x, y, size) = (tree.x, tree.y, tree.size)
        line.stroke((x, y), (x, y - size), size * 0.22, tree.tone.scaled(0.6))
        line.disc(x: x - size * 0.5, y: y - size * 0.95, size * 0.55, tree.tone.scaled(light < 0 ? 1.08 : 0.88))
        line.disc(x: x + size * 0.5, y: y - size * 1.0, size * 0.5, tree.tone.scaled(light > 0 ? 1.08 : 0.88))
        line.disc(x: x, y: y - size * 1.5, size * 0.68, tree.tone)
        line.spot(x: x + light * size, y: y - size * 1.65, size * 0.75, tree.tone.mixed(sky.light, 0.4), 0.8)
    }

    private func paint(_ balloon: Balloon, _ line: Line) {
        let size = balloon.size
        let y = balloon.y + size * 0.2 * (line.view.sway(balloon.start) - Curve.sine(balloon.start))
        guard abs(line.y - y) < size * 2.4 + line.view.pixel else { return }
        let x = balloon.x
        let basket = Tone(0x5B3A24).mixed(sky.haze, 0.2)
        for side: Float in [-1, 1] {
            line.stroke(
                (x + side * size * 0.42, y + size * 0.85), (x + side * size * 0.14, y + size * 1.62), size * 0.035,
                basket, 0.8)
        }
        line.polygon(
            [
                (x - size * 0.17, y + size * 1.6), (x + size * 0.17, y + size * 1.6),
                (x + size * 0.14, y + size * 1.88), (x - size * 0.14, y + size * 1.88),
            ], basket)
        line.polygon(
            [
                (x - size * 0.87, y + size * 0.5), (x + size * 0.87, y + size * 0.5), (x + size * 0.3, y + size * 1.32),
                (x - size * 0.3, y + size * 1.32),
            ], balloon.tones[0])
        // Gores, each narrower than the one behind it.
        for (index, width) in ([1, 0.8, 0.55, 0.27] as [Float]).enumerated() {
            let tone = balloon.tones[index % 3]
            line.ellipse(x: x, y: y, size * width, size, tone)
            if index > 0 {
                line.polygon(
                    [
                        (x - size * width * 0.87, y + size * 0.5), (x + size * width * 0.87, y + size * 0.5),
                        (x + size * width * 0.3, y + size * 1.32), (x - size * width * 0.3, y + size * 1.32),
                    ], tone)
            }
        }
        let light: Float = sky.sunX > x ? 0.35 : -0.35
        line.spot(x: x + light * size, y: y - size * 0.3, size * 0.75, sky.light, 0.5)
        line.spot(x: x - light * size * 1.2, y: y + size * 0.3, size * 0.6, .black, 0.22)
    }
}
