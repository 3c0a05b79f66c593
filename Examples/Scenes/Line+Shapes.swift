// SPDX-License-Identifier: MIT
import CSceneShims

extension Line {
    /// An ellipse, turned clockwise by a number of turns.
    func ellipse(
        x: Float, y: Float, _ radiusX: Float, _ radiusY: Float, _ tone: Tone, _ opacity: Float = 1, turn: Float = 0
    ) {
        let reach = turn == 0 ? radiusY : max(radiusX, radiusY)
        guard abs(self.y - y) < reach + view.pixel, radiusX > 0, radiusY > 0 else { return }
        unsafe swi_line_ellipse(
            row, x, y, radiusX, radiusY, tone, opacity, turn == 0 ? 1 : swi_sine(turn + 0.25),
            turn == 0 ? 0 : swi_sine(turn))
    }

    func disc(x: Float, y: Float, _ radius: Float, _ tone: Tone, _ opacity: Float = 1) {
        ellipse(x: x, y: y, radius, radius, tone, opacity)
    }

    /// A disc without an edge.
    func spot(x: Float, y: Float, _ radius: Float, _ tone: Tone, _ opacity: Float, flat: Float = 1) {
        guard abs(self.y - y) < radius else { return }
        unsafe swi_line_spot(row, x, y, radius, tone, opacity, flat)
    }

    /// A convex outline of at most eight corners, clockwise.
    func polygon(_ corners: [(x: Float, y: Float)], _ tone: Tone, _ opacity: Float = 1) {
        guard corners.contains(where: { $0.y > y - view.pixel }), corners.contains(where: { $0.y < y + view.pixel })
        else {
            return
        }
        unsafe swi_line_polygon(row, corners.flatMap { [$0.x, $0.y] }, Int32(corners.count), tone, opacity)
    }

    /// A stroke with round ends.
    func stroke(
        _ start: (x: Float, y: Float), _ end: (x: Float, y: Float), _ width: Float, _ tone: Tone, _ opacity: Float = 1
    ) {
        let reach = width / 2 + view.pixel
        guard y > min(start.y, end.y) - reach, y < max(start.y, end.y) + reach else { return }
        unsafe swi_line_stroke(row, start.x, start.y, end.x, end.y, width, tone, opacity)
    }
}
