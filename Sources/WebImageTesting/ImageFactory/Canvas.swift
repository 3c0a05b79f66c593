// SPDX-License-Identifier: MIT
import CSceneShims

/// Draws the frames of a factory picture: a scene, the fade of a picture with alpha, and the seed.
struct Canvas {
    private let width: Int
    private let height: Int
    private let seed: Int
    private let hasAlpha: Bool

    init(width: Int, height: Int, seed: Int, hasAlpha: Bool) {
        precondition(width > 0 && height > 0, "A picture needs a pixel.")
        precondition(ImageFactory.seeds.contains(seed), "A picture carries seeds from 0 to 65535.")
        self.width = width
        self.height = height
        self.seed = seed
        self.hasAlpha = hasAlpha
    }

    /// The frame at `phase`, premultiplied: 0 is the still picture, and at 1 the animation begins again.
    func pixels(at phase: Float = 0) -> [UInt8] {
        let view = View(width: width, height: height, phase: phase)
        let scene = SceneKind(seed).scene(view, seed)
        let line = Line(view)
        var pixels = [UInt8](repeating: 255, count: width * height * 4)
        for y in 0..<height {
            line.y = (Float(y) + 0.5) / Float(height)
            scene.paint(line)
            // In so few pixels nothing that moves is seen; the picture grows lighter instead.
            if min(width, height) < 16 { line.blend(.white, 0.4 * phase) }
            unsafe swi_line_write(line.row, Int32(y), &pixels)
            if hasAlpha, y >= height / 2 { fade(y, of: &pixels) }
        }
        SeedMark(width: width, height: height)?.write(seed, into: &pixels)
        return pixels
    }

    /// The right half of a row, from opaque to transparent.
    private func fade(_ y: Int, of pixels: inout [UInt8]) {
        for x in width / 2..<width {
            let alpha = 255 - (x - width / 2) * 255 / max(1, width - width / 2 - 1)
            let offset = (y * width + x) * 4
            for part in offset..<offset + 3 { pixels[part] = UInt8((Int(pixels[part]) * alpha + 127) / 255) }
            pixels[offset + 3] = UInt8(alpha)
        }
    }
}
