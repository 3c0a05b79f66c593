// SPDX-License-Identifier: MIT
import CSceneShims

/// One row of a picture while it is drawn.
@safe
final class Line {
    let view: View
    /// What the loops over its pixels work on; it lives as long as the line.
    let row: UnsafeMutablePointer<swi_line>
    private let samples: UnsafeMutablePointer<Float>

    init(_ view: View) {
        self.view = view
        let width = view.width
        unsafe samples = .allocate(capacity: width * 4)
        unsafe samples.initialize(repeating: 0, count: width * 4)
        unsafe row = .allocate(capacity: 1)
        unsafe row.initialize(
            to: swi_line(
                width: Int32(width), first: 0, last: Int32(width), step: view.step, pixel: view.pixel, y: 0,
                red: samples,
                green: samples + width, blue: samples + 2 * width, mask: samples + 3 * width))
    }

    deinit {
        unsafe row.deallocate()
        unsafe samples.deallocate()
    }

    /// The row's middle.
    var y: Float {
        get { unsafe row.pointee.y }
        set { unsafe row.pointee.y = newValue }
    }

    /// Draws shapes only between two places.
    func clip(_ left: Float, _ right: Float) {
        unsafe row.pointee.first = Int32(view.column(left))
        unsafe row.pointee.last = Int32(view.column(right))
    }

    func endClip() { clip(0, view.aspect + 1) }

    func fill(_ tone: Tone) { unsafe swi_line_fill(row, tone) }

    /// Lays a colour over the whole row.
    func blend(_ tone: Tone, _ part: Float) {
        if part > 0 { unsafe swi_line_blend(row, tone, part) }
    }

    /// Sets the mask to 0: a number for each pixel, as noise makes it.
    func clearMask() { unsafe swi_line_clear_mask(row) }

    /// Adds octaves of noise to the mask; see ``Noise/addOctaves(_:_:to:in:x:y:shift:gain:)``.
    func addNoise(
        _ noise: Noise, _ octaves: Int, _ amount: Float, x: Float, y: Float, shift: Float = 0, gain: Float = 0.5
    ) {
        unsafe noise.addOctaves(octaves, amount, to: row.pointee.mask, in: view, x: x, y: y, shift: shift, gain: gain)
    }

    /// Lays a colour where the mask is above `low`, in full at `high`.
    func blendMask(_ tone: Tone, _ part: Float, low: Float, high: Float) {
        unsafe swi_line_blend_mask(row, tone, part, low, high)
    }

    /// Makes pixels lighter and darker by the mask.
    func shade(_ amount: Float) { unsafe swi_line_shade(row, amount) }

    /// A light that falls off with the square of the distance, `flat` times wider than high.
    func glow(x: Float, y: Float, radius: Float, _ tone: Tone, _ strength: Float, flat: Float = 1) {
        let (down, area) = (self.y - y, radius * radius)
        if area / (down * down + area) * strength < 0.004 { return }
        unsafe swi_line_glow(row, x, y, radius, tone, strength, flat)
    }
}
