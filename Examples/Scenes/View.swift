// SPDX-License-Identifier: MIT
/// How a picture's pixels lie in a scene: y runs from 0 at the top to 1 at the bottom, x from 0 to `aspect`.
struct View {
    let width: Int
    let height: Int
    /// Width by height, between 0.5 and 2.5; a picture beyond that shows a stretched scene.
    let aspect: Float
    /// A pixel's width.
    let step: Float
    /// The larger side of a pixel, over which edges are softened.
    let pixel: Float
    /// How much of the animation is over, from 0 up to 1; at 1 it begins again.
    let phase: Float

    init(width: Int, height: Int, phase: Float) {
        self.width = width
        self.height = height
        self.phase = phase
        aspect = min(2.5, max(0.5, Float(width) / Float(height)))
        step = aspect / Float(width)
        pixel = max(step, 1 / Float(height))
    }

    /// The column in which a place lies, at most one beyond the last.
    func column(_ x: Float) -> Int { max(0, min(width, Int((x / step).rounded()))) }

    /// A value that goes there and back in the course of the animation; `start` is its place in that at the beginning.
    func sway(_ start: Float, times: Float = 1) -> Float { Curve.sine(start + phase * times) }
}
