// SPDX-License-Identifier: MIT
import CSceneShims

/// The outline of land: a height for each column, and all below it in colours that change with the depth.
struct Ridge {
    /// The y of the outline in each column.
    private(set) var heights: [Float]
    private var slopes: [Float]
    /// The slopes of the sides, without what is too small to have sides.
    private var sides: [Float]
    private(set) var top: Float
    private var bottom: Float
    var crest: Tone
    var foot: Tone
    /// Over which depth the colour changes.
    var depth: Float
    /// Where the change of colour begins; by default at the outline.
    var level: Float?
    /// How much sides that face the light differ from the others.
    var relief: Float = 0
    /// Which way those sides run down, in units across for each unit of depth.
    var lean: Float = 0.6

    init(_ heights: [Float], crest: Tone, foot: Tone, depth: Float, in view: View) {
        self.heights = heights
        (self.crest, self.foot, self.depth) = (crest, foot, depth)
        top = heights.min() ?? 1
        bottom = heights.max() ?? 1
        slopes = Self.slopes(of: heights, over: 1, in: view)
        sides = Self.slopes(of: heights, over: max(1, Int(0.008 / view.step)), in: view)
        bottom += view.pixel
    }

    private static func slopes(of heights: [Float], over reach: Int, in view: View) -> [Float] {
        var slopes = heights
        var index = 0
        while index < heights.count {
            let (left, right) = (max(0, index - reach), min(heights.count - 1, index + reach))
            slopes[index] = right > left ? (heights[right] - heights[left]) / (Float(right - left) * view.step) : 0
            index += 1
        }
        return slopes
    }

    /// An outline by noise: `level` is its mean, `amount` how far it goes up and down; `sharp` makes peaks.
    static func outline(
        _ noise: Noise, _ view: View, at row: Float, level: Float, amount: Float, scale: Float, octaves: Int,
        sharp: Bool = false
    ) -> [Float] {
        noise.curve(octaves, 1, in: view, x: scale, y: row, shift: row * 3.7).map {
            level - amount * (sharp ? 0.7 - 2.2 * abs($0) : 1.4 * $0)
        }
    }

    /// Whether nothing behind it is seen at this row.
    func covers(_ y: Float) -> Bool { y > bottom }

    func paint(_ line: Line) {
        guard line.y > top - line.view.pixel * 2 else { return }
        unsafe swi_line_ridge(
            line.row, heights, slopes, sides, crest, foot, depth, level ?? .nan, relief, lean)
    }
}
