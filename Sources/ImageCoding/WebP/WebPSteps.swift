// SPDX-License-Identifier: MIT
/// How far libwebp gets the bytes of a picture in each step.
///
/// libwebp draws every row that its bytes are enough for, without a pause. So the bytes are divided as the pixels are:
/// a step gets the share of the bytes left that some hundred rows have in the pixels left. The share follows the
/// picture: where a dense part ends, few bytes are left, and the steps become short.
///
/// Two things are drawn in one step whatever their size: the first eighth of the bytes of a lossless picture, for which
/// libwebp waits, and pixels that take no bytes, such as macroblocks without coefficients and symbols without bits.
///
/// - Source: libwebp 1.2.4, idec_dec.c, vp8l_dec.c.
struct WebPSteps {
    /// The bytes that libwebp has after this step.
    private(set) var end: Int
    private let byteCount: Int
    private let pixelCount: Int
    /// The pixels that a step should draw.
    private let aim: Int
    /// The fewest bytes of a step, once there are pixels.
    private let least: Int
    private let isLossless: Bool

    /// Creates the first step.
    ///
    /// - Parameters:
    ///   - header: The bytes before the first that is decoded in steps.
    ///   - byteCount: All bytes.
    ///   - size: The stored size.
    ///   - isLossless: libwebp decodes up to eight rows of a lossless picture again in each step, and its codes before
    ///     the first row. So the steps are longer.
    init(header: Int, byteCount: Int, size: PixelSize, isLossless: Bool) {
        self.byteCount = byteCount
        self.isLossless = isLossless
        pixelCount = size.pixelCount
        aim = isLossless ? max(1 << 19, size.width * 48) : 1 << 18
        let body = max(byteCount - header, 0)
        least = isLossless ? max(body / max(pixelCount / aim, 1) / 4, 1) : 1
        let first = isLossless ? header + byteCount / 8 : header
        end = pixelCount <= aim ? byteCount : min(first, byteCount)
    }

    /// Whether no step follows.
    var isLast: Bool { end == byteCount }

    /// Moves on to the next step.
    ///
    /// - Parameter drawn: The pixels that are drawn so far.
    mutating func advance(drawn: Int) {
        let left = byteCount - end
        let share = Double(left) * Double(aim) / Double(max(pixelCount - drawn, 1))
        let step = isLossless && drawn == 0 ? byteCount / 8 : Int(min(share, Double(left)))
        end += min(max(step, least), left)
    }
}
