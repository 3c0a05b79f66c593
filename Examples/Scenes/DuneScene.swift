// SPDX-License-Identifier: MIT
import WebImageTesting

/// Dunes with a lit and a dark side, and cactuses.
struct DuneScene: Scene {
    private struct Cactus {
        let x: Float
        let y: Float
        let size: Float
        let arms: [(side: Float, height: Float, length: Float)]
    }

    private var sky: Sky
    private var dunes: [Ridge] = []
    private var edges: [Ridge] = []
    private let sand: Noise
    private var cactuses: [Cactus] = []
    private let green: Tone

    private static let sands: [[Int]] = [
        [0xEBB36B, 0x8C4A3A], [0xF0C98D, 0x9A6A4F], [0xE08E5B, 0x6E2F3B], [0xDDA77B, 0x5A3A52], [0xF2D6A2, 0xB5774B],
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        sky = Sky(&random, view, hours: [0, 2, 3, 4, 5, 6, 7])
        sky.horizon = 0.62
        sky.sunRadius *= 1.35
        let noise = Noise(&random)
        sand = Noise(&random)
        let (night, part) = (sky.tones[0], Float(sky.isNight ? 0.55 : 0.06))
        let tones = random.choice(Self.sands).map { Tone($0).mixed(night, part) }
        green = Tone(0x2F4A3A).mixed(tones[1], 0.35).mixed(sky.tones[0], 0.2)
        let left: Float = sky.sunX > view.aspect / 2 ? -1 : 1
        for index in 0..<5 {
            let part = Float(index) / 4
            let outline = Ridge.outline(
                noise, view, at: random.between(0, 90), level: 0.56 + 0.34 * part, amount: 0.12 + 0.05 * part,
                scale: 0.75 + 0.1 * part, octaves: 2)
            let lit = tones[0].mixed(sky.haze, 0.55 * (1 - part)).mixed(sky.light, 0.12)
            let dark = tones[1].mixed(sky.haze, 0.5 * (1 - part))
            var dune = Ridge(outline, crest: lit, foot: lit.mixed(dark, 0.45), depth: 0.36, in: view)
            dune.relief = -0.12 * left
            dune.lean = 0.3 * left
            dunes.append(dune)
            edges.append(Self.edge(outline, noise, view, random.between(0, 90), dark, lit, left))
        }
        for _ in 0..<random.next(below: 5) {
            let x = view.aspect * random.between(0.05, 0.95)
            let row = 2 + random.next(below: 3)
            let ground = dunes[row].heights[max(0, min(view.width - 1, Int(x / view.step)))]
            let size = (0.08 + 0.05 * Float(row)) * random.between(0.7, 1.15)
            let arms = [Float(-1), 1].shuffled(using: &random).prefix(1 + random.next(below: 2)).map { side in
                (side, random.between(0.3, 0.55), random.between(0.2, 0.42))
            }
            cactuses.append(Cactus(x: x, y: ground + 0.03, size: size, arms: arms))
        }
        cactuses.sort { $0.y < $1.y }
    }

    /// The side in the shade: it begins at the outline wherever that falls away from the light.
    private static func edge(
        _ outline: [Float], _ noise: Noise, _ view: View, _ row: Float, _ dark: Tone, _ lit: Tone, _ left: Float
    ) -> Ridge {
        var heights = noise.curve(2, 0.05, in: view, x: 2.2, y: row)
        for index in outline.indices {
            let (before, after) = (max(0, index - 1), min(outline.count - 1, index + 1))
            let slope = (outline[after] - outline[before]) / (Float(max(1, after - before)) * view.step) * left
            // It widens slowly, so that its end is a curve.
            let steep = max(0, slope + 0.16 + heights[index])
            heights[index] = outline[index] + 0.004 + steep * steep * 2.2
        }
        return Ridge(heights, crest: dark, foot: dark.mixed(lit, 0.62), depth: 0.16, in: view)
    }

    func paint(_ line: Line) {
        let first = dunes.lastIndex { $0.covers(line.y) } ?? 0
        if first == 0 { sky.paint(line) }
        for index in first..<dunes.count {
            guard line.y > dunes[index].top - 0.01 else { continue }
            dunes[index].paint(line)
            edges[index].paint(line)
        }
        if line.y > 0.5 {
            // The wind's ripples.
            let near = 0.3 + line.y
            line.clearMask()
            let wind = 0.15 * line.view.sway(0.25)
            line.addNoise(sand, 3, 1, x: 3.5 / near, y: line.y * 46 / near + wind, shift: line.y * 9)
            line.shade(0.11 * Curve.smooth(0.52, 0.85, line.y))
        }
        for cactus in cactuses { paint(cactus, line) }
    }

    private func paint(_ cactus: Cactus, _ line: Line) {
        let size = cactus.size
        guard line.y > cactus.y - size * 1.1, line.y < cactus.y + size * 0.2 else { return }
        let (x, y) = (cactus.x, cactus.y)
        let away: Float = sky.sunX > x ? -1 : 1
        line.ellipse(x: x + away * size * 0.42, y: y, size * 0.5, size * 0.035, green.scaled(0.5), 0.45)
        for (tone, shift, scale) in [(green, 0, 1), (green.mixed(sky.light, 0.3), -away * 0.028, 0.45)]
            as [(Tone, Float, Float)]
        {
            let left = x + shift * size
            line.stroke((left, y), (left, y - size * 0.9), size * 0.14 * scale, tone)
            for arm in cactus.arms {
                let elbow = (x: left + arm.side * size * 0.2, y: y - size * arm.height)
                line.stroke((left, elbow.y), elbow, size * 0.095 * scale, tone)
                line.stroke(elbow, (elbow.x, elbow.y - size * arm.length), size * 0.095 * scale, tone)
            }
        }
    }
}
