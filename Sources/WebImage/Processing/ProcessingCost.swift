// SPDX-License-Identifier: MIT
import ImageCoding

/// The memory that work on pictures takes, in bytes. What is too large to count is `Int.max`.
enum ProcessingCost {
    /// The bytes that transforming takes at its peak. Each step holds its input and its output.
    static func transforming(
        _ size: PixelSize, frames: Int, by transformers: ArraySlice<any ImageTransforming>
    ) -> Int {
        var (peak, size) = (0, size)
        for transformer in transformers {
            let result = transformer.resultSize(for: size)
            let pictures = sum(bytes(size, frames), bytes(result, frames))
            peak = max(peak, sum(pictures, transformer.workingByteCount(for: size)))
            size = result
        }
        return peak
    }

    static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    private static func bytes(_ size: PixelSize, _ frames: Int) -> Int {
        [size.height, frames, 4].reduce(size.width) { product, factor in
            let (next, overflow) = max(0, product).multipliedReportingOverflow(by: max(0, factor))
            return overflow ? .max : next
        }
    }
}
