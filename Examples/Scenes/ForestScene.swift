// SPDX-License-Identifier: MIT
import WebImageTesting

/// Firs behind firs in mist, sometimes in snow.
struct ForestScene: Scene {
    private struct Flake {
        let x: Float
        let y: Float
        let size: Float
        let start: Float
    }

    private var sky: Sky
    private var rows: [Ridge] = []
    private let mist: Noise
    private let fog: Tone
    private var flakes: [Flake] = []

    private static let moods: [(hours: [Int], fog: Int, near: Int)] = [
        ([0], 0xF0D9CF, 0x2A3342), ([1], 0xDDE8EA, 0x1E3B3A), ([3], 0xEEDDBB, 0x2E3A26), ([4], 0xE79A72, 0x2B1F33),
        ([5], 0xA77A97, 0x1C1A33), ([6], 0x4E6E94, 0x0A1428), ([8], 0x4F8C84, 0x081A20), ([7], 0xEFC4C9, 0x38304F),
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        let mood = random.choice(Self.moods)
        let isSnowy = random.next(below: 3) == 0
        sky = Sky(&random, view, hours: mood.hours)
        sky.horizon = 0.7
        fog = Tone(mood.fog)
        let near = Tone(mood.near)
        mist = Noise(&random)
        let noise = Noise(&random)
        let levels: [Float] = [0.44, 0.55, 0.67, 0.81, 1.0]
        let mountain = Ridge.outline(
            noise, view, at: random.between(0, 90), level: 0.4, amount: 0.24, scale: 1, octaves: 7, sharp: true)
        var back = Ridge(mountain, crest: fog.mixed(near, 0.22), foot: fog, depth: 0.24, in: view)
        back.relief = 0.07
        rows.append(back)
        for (index, level) in levels.enumerated() {
            let part = Float(index) / Float(levels.count - 1)
            var tone = fog.mixed(near, 0.24 + 0.76 * part)
            if isSnowy { tone = tone.mixed(.white, 0.12 * (1 - part)) }
            rows.append(
                Fir.row(
                    view, &random, ground: level + 0.06, tallest: 0.15 + 0.27 * part * part + 0.06 * part,
                    count: 60 - index * 9, tone,
                    foot: fog.mixed(near, 0.05 + 0.5 * part * part), noise: noise, gap: index == 4 ? 0.5 : 0))
        }
        for _ in 0..<(isSnowy ? Int(170 * view.aspect) : 0) {
            flakes.append(
                Flake(
                    x: random.between(0, view.aspect), y: random.between(0, 1), size: random.between(0.0018, 0.0062),
                    start: random.between(0, 1)))
        }
    }

    func paint(_ line: Line) {
        let first = rows.lastIndex { $0.covers(line.y) } ?? 0
        if first == 0 { sky.paint(line) }
        line.clearMask()
        let drift = 0.09 * line.view.sway(0.25)
        line.addNoise(mist, 3, 1, x: 1.3, y: line.y * 7, shift: 20 + drift)
        for index in first..<rows.count {
            rows[index].paint(line)
            // Mist lies between two rows of trees.
            let far = 1 - Float(index) / Float(rows.count)
            if index < rows.count - 1, line.y > rows[index].top + 0.08 {
                line.blendMask(
                    fog, 0.55 * far * Curve.smooth(0, 0.2, line.y - rows[index].top - 0.08), low: -0.45, high: 0.6)
            }
        }
        for flake in flakes { paint(flake, line) }
    }

    private func paint(_ flake: Flake, _ line: Line) {
        // Near flakes fall a whole picture in one round of the animation, far ones a half, and another takes their
        // place.
        let fallen = flake.y + line.view.phase * (flake.size > 0.004 ? 1 : 0.5)
        for y in [fallen, fallen - 0.5, fallen - 1] where abs(y - line.y) < flake.size + line.view.pixel {
            let isOther = y == fallen - 0.5
            if isOther && flake.size > 0.004 { continue }
            if !isOther && flake.size <= 0.004 && (y < 0 || y > 1) { continue }
            let x = flake.x + 0.012 * (line.view.sway(flake.start) - Curve.sine(flake.start))
            line.disc(x: x, y: y, flake.size, .white, 0.45 + 70 * flake.size)
        }
    }
}
