// SPDX-License-Identifier: MIT
import WebImageTesting

/// A field of flowers up to the hills.
struct FlowerScene: Scene {
    private struct Flower {
        let x: Float
        let y: Float
        let size: Float
        let tone: Tone
        let turn: Float
        let isTulip: Bool
    }

    private var sky: Sky
    private let horizon: Float
    private var hills: [Ridge] = []
    private let grass: Noise
    private let near: Tone
    private let far: Tone
    private let heart: Tone
    private var flowers: [Flower] = []

    private static let bouquets: [[Int]] = [
        [0xD8342C, 0xE9533F, 0xC3222B, 0xF2775C], [0xF2A7C3, 0xE56B9F, 0xFBE3EC, 0xC94F8C],
        [0xF7C531, 0xF3A712, 0xFFE07A, 0xF08A1D], [0x8E6CC9, 0x6D4FB0, 0xB79BE6, 0xD9C8F5],
        [0xFFFFFF, 0xF6F1E3, 0xFBD9E3, 0xF9E38C], [0x4E7FD6, 0x86A9EC, 0xF4F3EE, 0xE9C24A],
        [0xE84855, 0xF9DC5C, 0xF4F1EA, 0xED7D3A],
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        sky = Sky(&random, view, hours: [0, 1, 2, 3, 4, 7, 1, 3])
        horizon = random.between(0.36, 0.52)
        sky.horizon = horizon
        let green = Tone(random.choice([0x3F6B2A, 0x4B7A32, 0x2F6140, 0x5C7B2C]))
        near = green.mixed(sky.haze, 0.08).scaled(0.72)
        far = green.mixed(sky.light, 0.3).mixed(sky.haze, 0.35)
        let noise = Noise(&random)
        grass = Noise(&random)
        for index in 0..<3 {
            let part = Float(index) / 3
            let outline = Ridge.outline(
                noise, view, at: random.between(0, 90), level: horizon - 0.07 + 0.07 * part, amount: 0.07,
                scale: 1.3 + part, octaves: 4)
            let tone = green.mixed(sky.haze, 0.72 - 0.5 * part)
            hills.append(Ridge(outline, crest: tone, foot: tone.mixed(sky.haze, 0.35), depth: 0.12, in: view))
        }
        let bouquet = random.choice(Self.bouquets).map(Tone.init)
        heart = Tone(random.choice([0x3A2A1C, 0xF5C542, 0x4A3320]))
        let isTulip = random.next(below: 3) == 0
        for index in 0..<Int(190 * view.aspect) {
            let depth = Float(index) / (190 * view.aspect)
            let place = depth * depth
            // Flowers of one colour grow together.
            let patch = random.between(0, 1)
            let x = random.between(-0.05, view.aspect + 0.05)
            let band = Int((x * 1.3 / view.aspect + place * 1.6 + patch * 0.9) * 2) % 4
            flowers.append(
                Flower(
                    x: x, y: horizon + 0.02 + (1.04 - horizon) * place,
                    size: (0.004 + 0.042 * place) * random.between(0.75, 1.25),
                    tone: bouquet[band].scaled(random.between(0.9, 1.06)).mixed(sky.haze, 0.35 * (1 - depth)),
                    turn: random.between(0, 1), isTulip: isTulip))
        }
    }

    func paint(_ line: Line) {
        if line.y < horizon + 0.1 {
            sky.paint(line)
            for hill in hills { hill.paint(line) }
        }
        if line.y > horizon { paintMeadow(line) }
        for flower in flowers { paint(flower, line) }
    }

    private func paintMeadow(_ line: Line) {
        let depth = (line.y - horizon) / (1 - horizon)
        let tone = far.mixed(near, Curve.smooth(0, 0.9, depth))
        line.blend(tone, Curve.smooth(0, 0.03, depth))
        let near = 0.05 + depth
        line.clearMask()
        line.addNoise(grass, 3, 1, x: 3 / near, y: 1.4 / near, shift: 9)
        line.addNoise(grass, 1, 0.5, x: 26 / near, y: line.y * 5)
        line.shade(0.3 * Curve.smooth(0, 0.1, depth))
    }

    private func paint(_ flower: Flower, _ line: Line) {
        let size = flower.size
        guard line.y > flower.y - size * 1.6 - line.view.pixel, line.y < flower.y + size * 5 + line.view.pixel else {
            return
        }
        let x = flower.x + size * 0.35 * (line.view.sway(flower.turn) - Curve.sine(flower.turn) * 0.4)
        let stem = near.mixed(far, 0.25)
        if line.y > flower.y { line.stroke((x, flower.y), (flower.x, flower.y + size * 5), size * 0.16, stem, 0.85) }
        if line.y > flower.y + size * 1.6 || size < line.view.pixel * 0.7 {
            if line.y < flower.y + size * 1.6 { line.disc(x: x, y: flower.y, size, flower.tone, 0.9) }
            return
        }
        if flower.isTulip {
            for side: Float in [-1, 1] {
                line.ellipse(
                    x: x + side * size * 0.42, y: flower.y, size * 0.5, size * 1.05,
                    flower.tone.scaled(side < 0 ? 0.86 : 0.94),
                    turn: side * 0.03)
            }
            line.ellipse(x: x, y: flower.y + size * 0.08, size * 0.5, size * 1.05, flower.tone.mixed(.white, 0.12))
            return
        }
        for petal in 0..<6 {
            let turn = flower.turn + Float(petal) / 6
            let (dx, dy) = (Curve.cosine(turn), Curve.sine(turn))
            line.ellipse(
                x: x + dx * size * 0.62, y: flower.y + dy * size * 0.52, size * 0.56, size * 0.4,
                flower.tone.scaled(0.9 + 0.1 * dx - 0.06 * dy), turn: turn)
        }
        line.disc(x: x, y: flower.y, size * 0.34, heart)
        line.disc(x: x - size * 0.08, y: flower.y - size * 0.08, size * 0.16, heart.mixed(.white, 0.35), 0.7)
    }
}
