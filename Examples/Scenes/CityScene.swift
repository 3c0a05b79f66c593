// SPDX-License-Identifier: MIT
import CSceneShims
import WebImageTesting

/// A city in the evening by a river that mirrors its lights.
struct CityScene: Scene {
    private struct House {
        let left: Float
        let right: Float
        let top: Float
        let tone: Tone
        let light: Tone
        let columns: Int
        let storey: Float
        let lights: UInt64
        let roof: Int
    }

    private var sky: Sky
    private let shore: Float
    private var houses: [House] = []
    private let ripple: Noise
    private let water: Tone

    init(_ view: View, _ random: inout SeededGenerator) {
        sky = Sky(&random, view, hours: [4, 5, 6, 8, 5, 6, 7])
        shore = random.between(0.68, 0.76)
        sky.horizon = shore
        ripple = Noise(&random)
        let near = Tone(random.choice([0x161B33, 0x1F1A36, 0x0F2233, 0x251C2C]))
        water = near.mixed(sky.tones[1], 0.3)
        let lamps = random.choice([
            [0xFFD98A, 0xFFE9BF, 0xFFC46B], [0xFFE3A8, 0xBFE3FF, 0xFFF4D6], [0xFFB873, 0xFFD9A0, 0xFF9AA2],
        ])
        for row in 0..<3 {
            let part = Float(row) / 2
            var x = random.between(-0.1, 0)
            while x < view.aspect {
                let wide = random.between(0.05, 0.12) * (0.75 + 0.25 * part)
                // Towers in the middle of the picture.
                let middle = 1 - abs(x + wide / 2 - view.aspect / 2) / view.aspect
                let tall =
                    (0.5 - 0.16 * part) * middle * random.between(0.35, 1) * (random.next(below: 6) == 0 ? 1.15 : 0.85)
                let gap = random.between(-0.01, 0.02) + 0.02 * part
                houses.append(
                    House(
                        left: x, right: x + wide, top: shore - max(0.05, tall),
                        tone: near.mixed(sky.haze, 0.62 - 0.5 * part).scaled(random.between(0.9, 1.1)),
                        light: Tone(random.choice(lamps)).mixed(sky.haze, 0.35 * (1 - part)),
                        columns: 3 + random.next(below: 4), storey: random.between(0.018, 0.026), lights: random.next(),
                        roof: random.next(below: 6)))
                x += wide + gap
            }
        }
    }

    func paint(_ line: Line) {
        let row = line.y
        if row <= shore { return paintCity(line) }
        let depth = row - shore
        line.y = shore - depth * 1.6
        paintCity(line)
        line.y = row
        line.blend(water, 0.3 + 0.35 * Curve.smooth(0, 0.3, depth))
        line.clearMask()
        let near = 0.04 + depth
        let view = line.view
        line.addNoise(ripple, 4, 1, x: 0.9 / near, y: 3 / near + 0.12 * view.sway(0), shift: 20 + 0.1 * view.sway(0.25))
        line.blendMask(sky.tones[3], 0.42, low: 0.05, high: 0.8)
        line.blendMask(water.scaled(0.55), 0.6, low: 0, high: -0.7)
        line.glow(x: sky.sunX, y: row, radius: 0.04 + depth * 0.1, sky.light, 0.22)
        line.blend(water.scaled(0.4), 0.75 * (1 - Curve.smooth(0, 0.008, depth)))
    }

    private func paintCity(_ line: Line) {
        sky.paint(line)
        for house in houses where line.y > house.top - 0.09 { paint(house, line) }
        line.blend(sky.haze, 0.2 * Curve.smooth(shore - 0.22, shore, line.y))
    }

    private func paint(_ house: House, _ line: Line) {
        let view = line.view
        let middle = (house.left + house.right) / 2
        let wide = house.right - house.left
        switch house.roof {
        case 0:
            line.stroke((middle, house.top), (middle, house.top - 0.07), 0.003, house.tone)
            line.disc(x: middle, y: house.top - 0.07, 0.003, Tone(0xFF5A4F), 0.6 + 0.4 * view.sway(house.left))
        case 1:
            line.polygon(
                [(middle, house.top - wide * 0.7), (house.right, house.top + 0.001), (house.left, house.top + 0.001)],
                house.tone)
        case 2:
            line.polygon(
                [
                    (house.left + wide * 0.2, house.top - 0.02), (house.right - wide * 0.2, house.top - 0.02),
                    (house.right - wide * 0.2, house.top + 0.01), (house.left + wide * 0.2, house.top + 0.01),
                ], house.tone)
        default: break
        }
        guard line.y > house.top - view.pixel else { return }
        line.polygon(
            [(house.left, house.top), (house.right, house.top), (house.right, 2), (house.left, 2)], house.tone)
        let storey = (line.y - house.top) / house.storey
        let level = Int(storey)
        let off = abs(storey - Float(level) - 0.55)
        let cover =
            Curve.clamp((0.27 - off) * house.storey / view.pixel + 0.5) * min(1, house.storey * 0.54 / view.pixel)
        guard level > 0, cover > 0 else { return }
        let lights = Int32(
            truncatingIfNeeded: house.lights >> UInt64(level * 7 % 50) & house.lights >> UInt64(level * 11 % 45))
        unsafe swi_line_windows(
            line.row, house.left, house.right, Int32(house.columns), lights, 0.6, house.light, 0.9 * cover)
    }
}
