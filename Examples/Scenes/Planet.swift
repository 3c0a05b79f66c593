// SPDX-License-Identifier: MIT
import CSceneShims
import WebImageTesting

/// A planet with bands, lit from one side, perhaps with a ring, and a moon that goes around it.
struct Planet {
    private let x: Float
    private let y: Float
    private let radius: Float
    private let bands: [Tone]
    private let noise: Noise
    private let light: (x: Float, y: Float, z: Float)
    private let hasRing: Bool
    private let turn: Float
    private let start: Float
    private let shine: Tone

    private static let palettes: [[Int]] = [
        [0xE8C9A0, 0xC98F5E, 0xF2E2C6, 0xA86A45, 0xDDB285], [0x7FB7D6, 0x3F79B0, 0xCFE6F0, 0x2E5A94, 0x9CCBE0],
        [0xD67F7F, 0x9C3F5A, 0xF0C6B8, 0x7A2E4A, 0xE09A8C], [0x8FCBA8, 0x3F8C76, 0xDDF0D0, 0x2B6A60, 0xB0DBB4],
        [0xB9A6E0, 0x7A62B8, 0xE6DCF7, 0x594496, 0xCDBDEB],
    ]

    init(_ view: View, _ random: inout SeededGenerator, _ palette: [Tone]) {
        radius = random.between(0.13, 0.27)
        x = view.aspect * (random.next(below: 2) == 0 ? random.between(0.2, 0.36) : random.between(0.64, 0.8))
        y = random.between(0.34, 0.66)
        bands = random.choice(Self.palettes).map(Tone.init)
        noise = Noise(&random)
        light = random.next(below: 2) == 0 ? (-0.66, -0.46, 0.594) : (0.7, -0.4, 0.592)
        hasRing = random.next(below: 5) < 3
        turn = random.between(-0.06, 0.06)
        start = random.between(0, 1)
        shine = palette[3]
    }

    func paint(_ line: Line) {
        let moon = line.view.phase + start
        let moonX = x + radius * 1.75 * Curve.cosine(moon)
        let moonY = y + radius * (0.5 * Curve.sine(moon) + 0.9 * turn * 6 * Curve.cosine(moon))
        let isBehind = Curve.sine(moon) < 0
        if isBehind { paintMoon(line, moonX, moonY) }
        if hasRing { paintRing(line, isFront: false) }
        paintBall(line)
        if hasRing { paintRing(line, isFront: true) }
        if !isBehind { paintMoon(line, moonX, moonY) }
    }

    private func paintMoon(_ line: Line, _ moonX: Float, _ moonY: Float) {
        let size = radius * 0.11
        line.disc(x: moonX, y: moonY, size, shine.mixed(.white, 0.3).scaled(0.5))
        line.disc(
            x: moonX + light.x * size * 0.35, y: moonY + light.y * size * 0.35, size * 0.72, shine.mixed(.white, 0.4),
            0.9)
    }

    private func paintBall(_ line: Line) {
        let view = line.view
        let down = line.y - y
        guard abs(down) < radius * 1.25 else { return }
        line.spot(x: x, y: y, radius * 1.25, bands[2], 0.35)
        guard abs(down) < radius + view.pixel else { return }
        line.clearMask()
        line.addNoise(noise, 4, 0.11, x: 2.2 / radius * 0.3, y: down / radius * 4, shift: line.y * 2)
        unsafe swi_line_ball(
            line.row, x, y, radius, bands, Curve.cosine(turn), Curve.sine(turn), [light.x, light.y, light.z])
    }

    private func paintRing(_ line: Line, isFront: Bool) {
        guard abs(line.y - y) < radius * 1.25 else { return }
        unsafe swi_line_ring(
            line.row, x, y, radius, bands[0].mixed(.white, 0.25), Curve.cosine(turn), Curve.sine(turn), light.x,
            isFront ? 1 : 0)
    }
}
