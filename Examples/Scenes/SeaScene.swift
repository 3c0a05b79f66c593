// SPDX-License-Identifier: MIT
import CSceneShims
import WebImageTesting

/// The sea with the way of the sun on it, islands and sailing boats.
struct SeaScene: Scene {
    private struct Boat {
        let x: Float
        let y: Float
        let size: Float
        let sail: Tone
        let start: Float
        let side: Float
    }

    private var sky: Sky
    private let horizon: Float
    private var islands: [Ridge] = []
    private let waves: Noise
    private let deep: Tone
    private let shallow: Tone
    private var boats: [Boat] = []
    private var gulls: [(x: Float, y: Float, size: Float, start: Float)] = []

    init(_ view: View, _ random: inout SeededGenerator) {
        sky = Sky(&random, view)
        horizon = random.between(0.46, 0.6)
        sky.horizon = horizon
        sky.sunY = horizon - random.between(0.06, 0.3)
        waves = Noise(&random)
        let noise = Noise(&random)
        let hue = Tone(random.choice([0x12495E, 0x1B3F6B, 0x0F5A62, 0x233A63]))
        deep = hue.mixed(sky.tones[0], 0.4).scaled(sky.isNight ? 0.5 : 0.85)
        shallow = sky.tones[3].mixed(hue, 0.38)
        for index in 0..<2 {
            let part = Float(index)
            let level = horizon + random.between(0.0, 0.045)
            let outline = Ridge.outline(
                noise, view, at: random.between(0, 90), level: level, amount: 0.13 - 0.03 * part, scale: 1.2 + part,
                octaves: 6, sharp: index == 0)
            let tone = hue.mixed(sky.haze, 0.72 - 0.3 * part)
            islands.append(Ridge(outline, crest: tone, foot: tone.mixed(sky.haze, 0.45), depth: 0.1, in: view))
        }
        for _ in 0..<1 + random.next(below: 3) {
            let place = random.between(0.03, 0.2)
            boats.append(
                Boat(
                    x: view.aspect * random.between(0.1, 0.9), y: horizon + place, size: 0.05 + place * 0.75,
                    sail: Tone(random.choice([0xFBF6EA, 0xF7E7CE, 0xE4572E, 0xD7E6EE, 0xF2B134])).mixed(
                        sky.haze, sky.isNight ? 0.5 : 0.12),
                    start: random.between(0, 1), side: random.next(below: 2) == 0 ? 1 : -1))
        }
        boats.sort { $0.y < $1.y }
        if !sky.isNight {
            for _ in 0..<random.next(below: 8) {
                gulls.append(
                    (
                        view.aspect * random.between(0.1, 0.9), horizon * random.between(0.25, 0.8),
                        random.between(0.008, 0.02), random.between(0, 1)
                    ))
            }
        }
    }

    func paint(_ line: Line) {
        if line.y < horizon {
            sky.paint(line)
            for island in islands { island.paint(line) }
            for gull in gulls { paint(gull, line) }
        } else {
            paintSea(line)
        }
        for boat in boats { paint(boat, line) }
    }

    private func paint(_ gull: (x: Float, y: Float, size: Float, start: Float), _ line: Line) {
        let lift = gull.size * (0.35 + 0.25 * line.view.sway(gull.start))
        let tone = deep.mixed(sky.haze, 0.3)
        for side: Float in [-1, 1] {
            let elbow = (x: gull.x + side * gull.size * 0.5, y: gull.y - lift)
            line.stroke((gull.x, gull.y), elbow, gull.size * 0.13, tone)
            line.stroke(elbow, (gull.x + side * gull.size, gull.y - lift * 0.7), gull.size * 0.1, tone)
        }
    }

    private func paintSea(_ line: Line) {
        let view = line.view
        let depth = (line.y - horizon) / (1 - horizon)
        line.fill(shallow.mixed(deep, Curve.smooth(0, 1, depth.squareRoot())))
        let near = 0.012 + depth * 0.45
        line.clearMask()
        let rise = 0.1 * view.sway(0)
        line.addNoise(waves, 4, 1, x: 0.75 / near, y: 1.5 / near + rise, shift: 30 + 0.12 * view.sway(0.25), gain: 0.6)
        line.blendMask(shallow.mixed(sky.light, 0.3), 0.5, low: 0, high: 0.8)
        line.blendMask(deep.scaled(0.72), 0.55 * (0.3 + depth), low: 0, high: -0.8)
        // The way of the sun: a glow, and the crests that face it.
        let wide = 0.035 + 0.16 * depth
        line.glow(x: sky.sunX, y: line.y, radius: wide * 1.3, sky.light, 0.3)
        unsafe swi_line_path(line.row, sky.sunX, wide, sky.light, 0.85)
    }

    private func paint(_ boat: Boat, _ line: Line) {
        let size = boat.size
        guard abs(line.y - boat.y) < size * 1.3 + line.view.pixel else { return }
        let bob = size * 0.035 * line.view.sway(boat.start)
        let tilt = 0.05 * line.view.sway(boat.start + 0.2) + 0.05 * boat.side
        let y = boat.y + bob
        func at(_ dx: Float, _ dy: Float) -> (x: Float, y: Float) {
            (boat.x + size * (dx * boat.side - dy * tilt), y + size * (dy + dx * tilt * 0.5 * boat.side))
        }
        func clockwise(_ corners: [(x: Float, y: Float)]) -> [(x: Float, y: Float)] {
            boat.side > 0 ? corners : corners.reversed()
        }
        let hull = deep.scaled(0.45)
        // What the water mirrors.
        line.ellipse(x: boat.x, y: boat.y + size * 0.16, size * 0.36, size * 0.06, hull, 0.4)
        line.ellipse(
            x: boat.x + size * 0.08 * boat.side, y: boat.y + size * 0.45, size * 0.12, size * 0.32, boat.sail, 0.16)
        line.stroke(at(0, 0), at(0, -1.08), size * 0.025, hull)
        line.polygon(clockwise([at(0.03, -1.05), at(0.42, -0.1), at(0.03, -0.1)]), boat.sail)
        line.polygon(clockwise([at(-0.04, -0.92), at(-0.04, -0.1), at(-0.34, -0.1)]), boat.sail.scaled(0.84))
        line.polygon(clockwise([at(-0.4, -0.05), at(0.46, -0.05), at(0.3, 0.11), at(-0.28, 0.11)]), hull)
    }
}
