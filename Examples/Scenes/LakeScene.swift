// SPDX-License-Identifier: MIT
import WebImageTesting

/// Mountains behind a lake that mirrors them, with firs on the shore.
struct LakeScene: Scene {
    private var sky: Sky
    private var layers: [Ridge] = []
    private var snow: Ridge?
    private let shore: Float
    private var firs: Ridge
    private let ripple: Noise
    private let mist: Float
    private let water: Tone

    init(_ view: View, _ random: inout SeededGenerator) {
        sky = Sky(&random, view)
        shore = random.between(0.56, 0.68)
        sky.horizon = shore
        let noise = Noise(&random)
        ripple = Noise(&random)
        mist = random.between(0.2, 0.75)
        let height = random.between(0.7, 1.2)
        let near = Tone(random.choice([0x22333F, 0x2B2F45, 0x1F3A3A, 0x33304A, 0x2A3B2E]))
        water = sky.tones[0].mixed(near, 0.45)
        // From far to near: less haze, lower, finer.
        for index in 0..<3 {
            let part = Float(index) / 3
            let outline = Ridge.outline(
                noise, view, at: random.between(0, 90), level: shore - 0.16 * height + 0.08 * part,
                amount: (0.26 - 0.12 * part) * height, scale: 1.1 + part * 1.2, octaves: 8, sharp: index < 2)
            let crest = near.mixed(sky.haze, 0.62 - 0.42 * part).mixed(sky.light, 0.08)
            var ridge = Ridge(
                outline, crest: crest, foot: crest.mixed(sky.haze, mist), depth: 0.3 - 0.1 * part, in: view)
            ridge.relief = 0.22
            ridge.lean = sky.sunX > view.aspect / 2 ? -0.5 : 0.5
            if ridge.lean > 0 { ridge.relief = -ridge.relief }
            layers.append(ridge)
            if index == 0 { snow = Self.snow(on: outline, noise, view, sky, random.between(0.05, 0.16), ridge) }
        }
        firs = Fir.row(
            view, &random, ground: shore + 0.004, tallest: 0.09, count: 46, near.mixed(sky.haze, 0.12).scaled(0.62),
            foot: near.mixed(sky.haze, 0.2 + mist * 0.3), noise: noise)
    }

    /// Snow down to a ragged line below the highest peaks.
    private static func snow(
        on outline: [Float], _ noise: Noise, _ view: View, _ sky: Sky, _ depth: Float, _ rock: Ridge
    ) -> Ridge {
        let top = outline.min() ?? 0
        var edge = noise.curve(6, 0.16, in: view, x: 9, y: 3.3)
        for index in outline.indices {
            edge[index] = max(outline[index], top + depth + edge[index] + (outline[index] - top) * 0.25)
        }
        return Ridge(edge, crest: rock.crest, foot: rock.foot, depth: rock.depth, in: view)
    }

    func paint(_ line: Line) {
        let row = line.y
        if row <= shore {
            paintLand(line)
            firs.paint(line)
        } else {
            paintWater(line, row)
        }
    }

    private func paintLand(_ line: Line) {
        let first = layers.lastIndex { $0.covers(line.y) } ?? 0
        if first == 0 { sky.paint(line) }
        for index in first..<layers.count {
            var ridge = layers[index]
            if index == 0, let snow {
                ridge.crest = sky.light.mixed(.white, 0.55).mixed(sky.haze, 0.15)
                ridge.foot = ridge.crest.mixed(sky.haze, 0.5)
                ridge.paint(line)
                ridge = snow
                ridge.relief = layers[0].relief * 0.6
            }
            ridge.paint(line)
        }
    }

    private func paintWater(_ line: Line, _ row: Float) {
        let depth = row - shore
        line.y = max(0, shore - depth * 0.95)
        paintLand(line)
        firs.paint(line)
        line.y = row
        line.blend(water, 0.25 + 0.5 * Curve.smooth(0, 0.42, depth))
        // Ripples, which perspective pulls apart as they come near.
        let near = 0.03 + depth
        line.clearMask()
        line.addNoise(
            ripple, 3, 1, x: 1.1 / near, y: 2.2 / near + 0.12 * line.view.sway(0),
            shift: 40 + 0.1 * line.view.sway(0.25))
        line.blendMask(sky.light, 0.3, low: 0.1, high: 0.7)
        line.blendMask(water.scaled(0.6), 0.2, low: -0.1, high: -0.7)
        line.glow(x: sky.sunX, y: row, radius: 0.05 + depth * 0.12, sky.light, 0.35 * (1 - depth))
    }
}
