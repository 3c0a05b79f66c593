// SPDX-License-Identifier: MIT
import CSceneShims
import WebImageTesting

/// Circles, bars and triangles in a few strong colours on paper.
struct FigureScene: Scene {
    private enum Form: CaseIterable {
        case quarter, half, disc, rings, triangle, stripes, leaf, dots, plain
    }

    private struct Tile {
        let form: Form
        let turn: Int
        let ground: Tone
        let first: Tone
        let second: Tone
        let start: Float
    }

    private let paper: Noise
    private let columns: Int
    private let rows: Int
    private let tiles: [Tile]
    private let cell: (x: Float, y: Float)

    private static let palettes: [[Int]] = [
        [0xF2E8D5, 0xD1402F, 0x1F4E79, 0xE9B44C, 0x22223B], [0xF5EBDD, 0xE07A5F, 0x3D405B, 0x81B29A, 0xF2CC8F],
        [0xF3EDE2, 0x264653, 0x2A9D8F, 0xE9C46A, 0xE76F51], [0xFAF3E6, 0xB23A48, 0x2B4570, 0xF0A868, 0x7A9E9F],
        [0xF4EEE0, 0x3A2E39, 0xF15152, 0xEDB183, 0x1E555C], [0xEFE9E1, 0x44355B, 0xEE5622, 0xECA72C, 0x7FB5B5],
        [0xF6EFE3, 0x0B3954, 0x087E8B, 0xFF5A5F, 0xF2C14E],
    ]

    init(_ view: View, _ random: inout SeededGenerator) {
        paper = Noise(&random)
        let palette = random.choice(Self.palettes).map(Tone.init)
        rows = 2 + random.next(below: 3)
        columns = max(1, Int((Float(rows) * view.aspect).rounded()))
        cell = (view.aspect / Float(columns), 1 / Float(rows))
        var tiles: [Tile] = []
        for index in 0..<rows * columns {
            let isPlain = tiles.last?.form == .plain
            var form = random.choice(Form.allCases)
            if form == .plain && isPlain { form = .quarter }
            // No tile has the ground of the one before it or above it.
            var grounds = Array(palette.indices).filter { $0 != 0 || random.next(below: 2) == 0 }
            if grounds.isEmpty { grounds = [0] }
            let taken = [
                index > 0 ? tiles[index - 1].ground : nil, index >= columns ? tiles[index - columns].ground : nil,
            ]
            let free = grounds.filter { place in !taken.contains { $0?.red == palette[place].red } }
            let ground = random.choice(free.isEmpty ? [0] : free)
            var others = palette.indices.filter { $0 != ground }
            let first = others.remove(at: random.next(below: others.count))
            let second = random.choice(others)
            tiles.append(
                Tile(
                    form: form, turn: random.next(below: 4), ground: palette[ground], first: palette[first],
                    second: palette[second], start: random.between(0, 1)))
        }
        self.tiles = tiles
    }

    func paint(_ line: Line) {
        let row = min(rows - 1, Int(line.y * Float(rows)))
        for column in 0..<columns {
            let corner = (x: Float(column) * cell.x, y: Float(row) * cell.y)
            line.clip(corner.x, corner.x + cell.x)
            line.polygon(
                [(corner.x - 1, -1), (corner.x + 2, -1), (corner.x + 2, 2), (corner.x - 1, 2)],
                tiles[row * columns + column].ground)
            paint(tiles[row * columns + column], at: corner, line)
        }
        line.endClip()
        line.clearMask()
        line.addNoise(paper, 3, 1, x: 60, y: line.y * 60)
        line.shade(0.035)
    }

    private func paint(_ tile: Tile, at corner: (x: Float, y: Float), _ line: Line) {
        let view = line.view
        let breath = 0.05 * (view.sway(tile.start) - Curve.sine(tile.start))
        /// A place in the tile, which reaches from 0 to 1 both ways, turned as the tile is.
        func at(_ x: Float, _ y: Float) -> (x: Float, y: Float) {
            let (across, down): (Float, Float) =
                switch tile.turn {
                case 0: (x, y)
                case 1: (1 - y, x)
                case 2: (1 - x, 1 - y)
                default: (y, 1 - x)
                }
            return (corner.x + across * cell.x, corner.y + down * cell.y)
        }
        func disc(_ x: Float, _ y: Float, _ radius: Float, _ tone: Tone) {
            let middle = at(x, y)
            line.ellipse(x: middle.x, y: middle.y, radius * cell.x, radius * cell.y, tone)
        }
        func bar(_ top: Float, _ foot: Float, _ tone: Tone) {
            line.polygon([at(-1, top), at(2, top), at(2, foot), at(-1, foot)], tone)
        }
        switch tile.form {
        case .quarter:
            disc(0, 0, 1 + breath, tile.first)
            disc(0, 0, 0.5 - breath, tile.second)
        case .half:
            disc(0.5, 0, 0.5 + breath, tile.first)
            disc(0.5, 1, 0.5 - breath, tile.second)
        case .disc:
            disc(0.5, 0.5, 0.4, tile.first)
            // A smaller disc goes around in it.
            let place = view.phase + tile.start
            disc(0.5 + 0.2 * Curve.cosine(place), 0.5 + 0.2 * Curve.sine(place), 0.13, tile.second)
        case .rings:
            for ring in 0..<4 {
                disc(0.5, 0.5, 0.46 - 0.12 * Float(ring) + breath * 0.6, ring % 2 == 0 ? tile.first : tile.ground)
            }
        case .triangle:
            line.polygon([at(0, 0), at(1 + breath * 2, 0), at(0, 1 + breath * 2)], tile.first)
            disc(0.72, 0.72, 0.17, tile.second)
        case .stripes:
            let shift = view.phase + tile.start
            let rest = shift - shift.rounded(.down)
            for stripe in -1..<5 {
                let top = (Float(stripe) + rest) / 4
                bar(top, top + 0.125, tile.first)
            }
        case .leaf:
            let (a, b) = (at(0, 1), at(1, 0))
            unsafe swi_line_lens(line.row, a.x, a.y, b.x, b.y, (1 + breath) * min(cell.x, cell.y), tile.first)
            disc(0.5, 0.5, 0.12, tile.second)
        case .dots:
            for dot in 0..<9 {
                disc((Float(dot % 3) + 0.5) / 3, (Float(dot / 3) + 0.5) / 3, 0.095 + breath * 0.7, tile.first)
            }
        case .plain: bar(0.3 - breath, 0.7 + breath, tile.first)
        }
    }
}
