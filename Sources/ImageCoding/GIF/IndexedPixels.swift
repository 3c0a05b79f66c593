// SPDX-License-Identifier: MIT
import CImageShims

/// Pixels as indexes of a palette, which is chosen by median cut, deterministically.
///
/// Up to 255 colours (256 without transparency) are kept exactly. More colours are counted in cells of 5 bits a
/// channel. The box with the largest product of spread and pixels is cut at its median until there are enough boxes.
/// Each box gives the mean of its pixels.
///
/// - Source: Heckbert, "Color image quantization for frame buffer display", 1982.
struct IndexedPixels {
    /// `0xRRGGBB`, at most 256, at least one. Ascending if the palette holds every colour exactly.
    let palette: [UInt32]
    /// The index of pixels of less than half alpha, behind the palette's end; `nil` in an opaque picture.
    let transparent: Int?
    /// One index a pixel.
    let indexes: [UInt8]

    /// Chooses a palette, and finds the indexes.
    ///
    /// - Parameters:
    ///   - pixels: RGBA, not premultiplied. Pixels of less than half alpha have no colour.
    ///   - width: Pixels a row.
    ///   - maxColors: 2 to 256, the transparent one included.
    ///   - isDithered: Whether missing colours are approximated by error diffusion.
    /// - Throws: ``ImageError`` with `.outOfMemory`; `CancellationError`.
    init(_ pixels: [UInt8], width: Int, hasAlpha: Bool, maxColors: Int, isDithered: Bool) throws {
        let count = hasAlpha ? maxColors - 1 : maxColors
        let exact = try IndexedPixels.distinctColors(pixels, upTo: count)
        let colors = try exact ?? IndexedPixels.medianCut(pixels, into: count)
        palette = colors.isEmpty ? [0] : colors
        transparent = hasAlpha ? palette.count : nil
        let job = swi_indexing(
            width: width, colour_count: palette.count, is_exact: exact == nil ? 0 : 1, is_dithered: isDithered ? 1 : 0,
            transparent: UInt8(truncatingIfNeeded: transparent ?? 0))
        indexes = try IndexedPixels.indexes(of: pixels, palette, job)
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

    /// Finds the indexes of the nearest colours for a bitmap, row by row.
    ///
    /// Integer arithmetic alone, so the same pixels always give the same indexes.
    ///
    /// - Throws: `CancellationError`, checked between rows.
    /// - Source: Floyd and Steinberg, "An adaptive algorithm for spatial grayscale", 1976.
    private static func indexes(of pixels: [UInt8], _ palette: [UInt32], _ job: swi_indexing) throws -> [UInt8] {
        // By cell of 6 bits a channel; -1 for a cell that was not looked up yet.
        var nearest = [Int16](repeating: -1, count: 1 << 18)
        // The errors of two rows, in sixteenths; one column of room on either side.
        var errors = [Int32](repeating: 0, count: 2 * 3 * (job.width + 2))
        let count = pixels.count / 4
        return try unsafe [UInt8](unsafeUninitializedCapacity: count) { indexes, used in
            guard let start = indexes.baseAddress else { return }
            var job = job
            for row in stride(from: 0, to: count / job.width, by: 16) {
                try Task.checkCancellation()
                let end = min(row + 16, count / job.width)
                unsafe swi_index_rows(&job, palette, &nearest, &errors, pixels, row, end, start)
            }
            used = count
        }
    }
}
