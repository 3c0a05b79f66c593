// SPDX-License-Identifier: MIT
import CImageShims

/// Chooses a palette for a bitmap by median cut, deterministically.
///
/// Up to 255 colours (256 without transparency) are kept exactly. More colours are counted in cells of 5 bits a
/// channel. The box with the largest product of spread and pixels is cut at its median until there are enough boxes.
/// Each box gives the mean of its pixels.
///
/// - Source: Heckbert, "Color image quantization for frame buffer display", 1982.
struct ColorQuantizer {
    /// `0xRRGGBB`; at most 256, at least one. Ascending if they are exact.
    let palette: [UInt32]
    /// Whether the palette holds every colour exactly.
    let isExact: Bool

    /// Creates a quantizer and chooses its palette.
    ///
    /// - Parameters:
    ///   - pixels: RGBA, not premultiplied. Pixels of less than half alpha do not count.
    ///   - maxColors: 1 to 256.
    /// - Throws: ``ImageError`` with `.outOfMemory`; `CancellationError`.
    init(_ pixels: [UInt8], maxColors: Int) throws {
        let exact = try ColorQuantizer.distinctColors(pixels, upTo: maxColors)
        isExact = exact != nil
        let colors = try exact ?? ColorQuantizer.medianCut(pixels, into: maxColors)
        palette = colors.isEmpty ? [0] : colors
    }

    /// All colours in ascending order, or `nil` when there are too many.
    private static func distinctColors(_ pixels: [UInt8], upTo limit: Int) throws -> [UInt32]? {
        var colors = [UInt32](repeating: 0, count: limit)
        var count = 0
        let isComplete = try unsafe inPieces(pixels) { start, length in
            unsafe swi_add_colours(&colors, &count, limit, start, length) != 0
        }
        return isComplete ? Array(colors[..<count]) : nil
    }

    private static func medianCut(_ pixels: [UInt8], into count: Int) throws -> [UInt32] {
        guard let histogram = unsafe swi_histogram_create() else {
            throw ImageError(code: .outOfMemory, message: "gif: out of memory.")
        }
        defer { unsafe swi_histogram_free(histogram) }
        _ = try unsafe inPieces(pixels) { start, length in
            unsafe swi_histogram_add(histogram, start, length)
            return true
        }
        var colors = [UInt32](repeating: 0, count: count)
        let used = unsafe swi_histogram_cut(histogram, count, &colors)
        return Array(colors[..<used])
    }

    /// Gives `body` the pixels in pieces, between which cancellation is checked, until it returns `false`.
    ///
    /// - Returns: Whether it never did.
    private static func inPieces(
        _ pixels: [UInt8], _ body: (UnsafePointer<UInt8>, Int) -> Bool
    ) throws -> Bool {
        try unsafe pixels.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return true }
            let piece = 1 << 20
            for offset in stride(from: 0, to: bytes.count, by: piece) {
                try Task.checkCancellation()
                if unsafe !body(start + offset, min(piece, bytes.count - offset)) { return false }
            }
            return true
        }
    }
}
