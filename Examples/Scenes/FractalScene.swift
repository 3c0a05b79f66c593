// SPDX-License-Identifier: MIT
import CSceneShims
import WebImageTesting

/// A Julia set, coloured by how fast each point leaves.
///
/// - Source: G. Julia, "Mémoire sur l'itération des fonctions rationnelles", 1918.
struct FractalScene: Scene {
    private let center: (x: Float, y: Float)
    private let turn: (cosine: Float, sine: Float)
    private let scale: Float
    private let palette: [Tone]
    private let start: Float
    private let period: Float
    private let inside: Tone
    private let core: Tone
    private let middle: Float

    private static let constants: [(Float, Float)] = [
        (-0.8, 0.156), (-0.7269, 0.1889), (0.285, 0.013), (-0.4, 0.6), (-0.835, -0.2321), (-0.70176, -0.3842),
        (-0.77, 0.12), (0.34, 0.38), (-0.55, 0.56), (-0.15, 0.86), (0.38, 0.14), (-0.21, 0.68),
    ]
    private static let palettes: [[Int]] = [
        [0x0B1D3A, 0x1F5A8C, 0x6FB7C9, 0xF4E9CD, 0xF2A65A, 0xA63D40, 0x3A1733],
        [0x1A0B2E, 0x5B2A86, 0xC25BA6, 0xF9C6C9, 0xFFE9C9, 0x7AC7C4, 0x24456B],
        [0x08231F, 0x14685A, 0x5FC49A, 0xF3F3C2, 0xE8B04A, 0xA1502F, 0x2D1B2E],
        [0x101228, 0x2C3E8F, 0x6C8CF0, 0xE6ECFF, 0xFFC3A0, 0xE0607E, 0x4A1E57],
        [0x1C0F13, 0x7A1F2B, 0xE2592F, 0xFFC857, 0xFDF3D8, 0x5FA8A3, 0x143642],
        [0x0D1B2A, 0x33658A, 0xF6F1E5, 0xF6AE2D, 0xF26419, 0x7B2D26, 0x251A2C],
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        center = random.choice(Self.constants)
        let angle = random.between(-0.12, 0.12)
        turn = (Curve.cosine(angle), Curve.sine(angle))
        scale = random.between(1.3, 2.1) / min(1.5, max(view.aspect, 0.8))
        var tones = random.choice(Self.palettes).map(Tone.init)
        if random.next(below: 2) == 0 { tones.reverse() }
        tones.append(tones[0])
        palette = (0...256).map { tones.at(Float($0) / 256) }
        start = random.between(0, 256) + 256 * view.phase
        period = random.between(30, 48)
        inside = tones[random.next(below: 2) * 5]
        core = tones[2].mixed(tones[3], 0.3)
        middle = view.aspect / 2
    }

    func paint(_ line: Line) {
        let zoom = scale * 1.35
        let (across, down) = ((line.view.step / 2 - middle) * zoom, (line.y - 0.5) * zoom)
        unsafe swi_line_julia(
            line.row, across * turn.cosine - down * turn.sine, across * turn.sine + down * turn.cosine,
            line.view.step * zoom * turn.cosine, line.view.step * zoom * turn.sine, center.x, center.y, palette, start,
            period, inside, core)
    }
}
