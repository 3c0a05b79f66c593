// SPDX-License-Identifier: MIT
import WebImageTesting

/// Stars, a nebula and a planet.
struct SpaceScene: Scene {
    private struct Star {
        let x: Float
        let y: Float
        let size: Float
        let tone: Tone
        let start: Float
    }

    private let ground: Tone
    private let gases: [Tone]
    private let cloud: Noise
    private let second: Noise
    private let row: Float
    private let tilt: Float
    private var stars: [Star] = []
    private let planet: Planet

    private static let palettes: [[Int]] = [
        [0x070A1C, 0x7A2E8C, 0xE0567A, 0xFFC58A], [0x04121C, 0x1B6C8C, 0x3FC1B0, 0xE6F5C0],
        [0x0A0716, 0x3A3FA8, 0x9A5BD6, 0xF7B8E0], [0x0E0710, 0xA83A2E, 0xF08A3C, 0xFFE3A0],
        [0x050B16, 0x254E9C, 0x57A0E8, 0xF2E0FF], [0x08090F, 0x1F6F5B, 0x86B84A, 0xFBEFA6],
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        let palette = random.choice(Self.palettes).map(Tone.init)
        ground = palette[0]
        gases = Array(palette[1...])
        cloud = Noise(&random)
        second = Noise(&random)
        row = random.between(0, 200)
        tilt = random.between(-1.2, 1.2)
        for index in 0..<Int(150 * view.aspect) {
            let size = index % 23 == 0 ? random.between(0.0035, 0.0055) : random.between(0.0006, 0.002)
            let tone = random.choice([Tone(0xFFFFFF), Tone(0xBFD4FF), Tone(0xFFE2C0), Tone(0xFFD0D8)])
            stars.append(
                Star(
                    x: random.between(0, view.aspect), y: random.between(0, 1), size: size, tone: tone,
                    start: random.between(0, 1)))
        }
        planet = Planet(view, &random, palette)
    }

    func paint(_ line: Line) {
        line.fill(ground.mixed(gases[0], 0.10 + 0.06 * line.y))
        // A band of gas across the picture, torn by a second noise.
        line.clearMask()
        line.addNoise(cloud, 6, 1, x: 1.5, y: row + line.y * 1.5, shift: row + line.y * tilt, gain: 0.55)
        line.blendMask(gases[0], 0.8, low: -0.25, high: 0.75)
        line.blendMask(gases[1], 0.75, low: 0.1, high: 0.85)
        line.blendMask(gases[2], 0.8, low: 0.36, high: 1)
        line.clearMask()
        line.addNoise(second, 5, 1, x: 2.3, y: row + line.y * 2.3, shift: 3 - line.y * tilt)
        line.blendMask(ground.scaled(0.7), 0.85, low: 0.05, high: 0.75)
        for star in stars { paint(star, line) }
        planet.paint(line)
    }

    private func paint(_ star: Star, _ line: Line) {
        let reach = star.size > 0.003 ? star.size * 5 : star.size
        guard abs(star.y - line.y) < reach + line.view.pixel else { return }
        let light = 0.78 + 0.22 * line.view.sway(star.start, times: star.size > 0.003 ? 1 : 2)
        let faint = min(1, star.size / line.view.pixel * 2)
        if star.size > 0.003 {
            line.spot(x: star.x, y: star.y, reach, star.tone, 0.5 * light)
            line.stroke(
                (star.x - reach * light, star.y), (star.x + reach * light, star.y), star.size * 0.25, star.tone, 0.6)
            line.stroke(
                (star.x, star.y - reach * light), (star.x, star.y + reach * light), star.size * 0.25, star.tone, 0.6)
            line.disc(x: star.x, y: star.y, star.size * 0.7, .white, light)
        } else {
            line.disc(x: star.x, y: star.y, max(star.size, line.view.pixel * 0.5), star.tone, light * faint)
        }
    }
}
