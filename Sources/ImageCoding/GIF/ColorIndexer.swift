// SPDX-License-Identifier: MIT
import CImageShims

/// Replaces pixels by the nearest colours of a palette, with or without error diffusion.
///
/// Integer arithmetic alone, so the same pixels always give the same indexes.
struct ColorIndexer {
    private let palette: [UInt32]
    private let isExact: Bool
    private let transparent: UInt8
    private let isDithered: Bool

    /// Creates an indexer.
    ///
    /// - Parameters:
    ///   - quantizer: The palette. When it is exact, nothing is dithered and colours are looked up exactly.
    ///   - transparent: The index for pixels of less than half alpha.
    ///   - isDithered: Whether the error of a pixel is passed on to its neighbours.
    init(_ quantizer: ColorQuantizer, transparent: UInt8, isDithered: Bool) {
        palette = quantizer.palette
        isExact = quantizer.isExact
        self.transparent = transparent
        self.isDithered = isDithered && !quantizer.isExact
    }

    /// Finds the indexes of a bitmap, row by row.
    ///
    /// - Parameters:
    ///   - pixels: RGBA, not premultiplied.
    ///   - width: Pixels a row.
    /// - Throws: `CancellationError`, checked between rows.
    /// - Source: Floyd and Steinberg, "An adaptive algorithm for spatial grayscale", 1976.
    func indexes(of pixels: [UInt8], width: Int) throws -> [UInt8] {
        // By cell of 6 bits a channel; -1 for a cell that was not looked up yet.
        var nearest = [Int16](repeating: -1, count: 1 << 18)
        // The errors of two rows, in sixteenths; one column of room on either side.
        let room = (width + 2) * 3
        var errors = [Int32](repeating: 0, count: 2 * room)
        let count = pixels.count / 4
        return try unsafe [UInt8](unsafeUninitializedCapacity: count) { indexes, used in
            try unsafe palette.withUnsafeBufferPointer { palette in
                try unsafe nearest.withUnsafeMutableBufferPointer { nearest in
                    try unsafe errors.withUnsafeMutableBufferPointer { errors in
                        let start = isDithered ? errors.baseAddress : nil
                        // Neither is empty: a palette has a colour.
                        var job = unsafe swi_indexing(
                            width: width, colours: palette.baseAddress!, colour_count: palette.count,
                            is_exact: isExact ? 1 : 0, transparent: transparent, nearest: nearest.baseAddress!,
                            errors: start, below: start.map { unsafe $0 + room })
                        try unsafe pixels.withUnsafeBufferPointer { pixels in
                            guard let from = pixels.baseAddress, let to = indexes.baseAddress else { return }
                            for row in 0..<count / width {
                                if row % 16 == 0 { try Task.checkCancellation() }
                                unsafe swi_index_row(&job, from + row * width * 4, to + row * width)
                            }
                        }
                    }
                }
            }
            used = count
        }
    }
}
