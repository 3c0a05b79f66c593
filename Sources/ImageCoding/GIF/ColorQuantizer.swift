/// Chooses a palette for a bitmap by median cut, deterministically.
///
/// Up to 255 colours (256 without transparency) are kept exactly. More colours are counted in cells of 5 bits a
/// channel. The box with the largest product of spread and pixels is cut at its median until there are enough boxes.
/// Each box gives the mean of its pixels.
///
/// - Source: Heckbert, "Color image quantization for frame buffer display", 1982.
struct ColorQuantizer {
    /// Red, green, blue; at most 256, at least one.
    let palette: [SIMD3<UInt8>]
    /// Whether the palette holds every colour exactly.
    let isExact: Bool

    /// Creates a quantizer and chooses its palette.
    ///
    /// - Parameters:
    ///   - pixels: RGBA, not premultiplied. Pixels of less than half alpha do not count.
    ///   - maxColors: 1 to 256.
    init(_ pixels: [UInt8], maxColors: Int) {
        if let colors = ColorQuantizer.distinctColors(pixels, upTo: maxColors) {
            palette = colors.isEmpty ? [.zero] : colors
            isExact = true
        } else {
            palette = ColorQuantizer.medianCut(pixels, into: maxColors)
            isExact = false
        }
    }

    /// One cell of the histogram: the number of pixels, and the sums of their channels.
    private struct Cell {
        var count = 0
        var sum = SIMD3<Int>.zero
    }

    /// A range of cells that becomes one colour.
    private struct Box {
        let cells: ArraySlice<Cell>
        /// The channel along which the cells spread most.
        let channel: Int
        /// How urgently the box should be cut: spread times pixels; 0 when it cannot be.
        let urgency: Int

        init(_ cells: ArraySlice<Cell>) {
            self.cells = cells
            var low = SIMD3<Int>(repeating: 255)
            var high = SIMD3<Int>.zero
            var count = 0
            for cell in cells {
                let mean = cell.sum / SIMD3(repeating: cell.count)
                low = pointwiseMin(low, mean)
                high = pointwiseMax(high, mean)
                count += cell.count
            }
            let spread = high &- low
            channel = spread.y >= spread.x && spread.y >= spread.z ? 1 : spread.x >= spread.z ? 0 : 2
            urgency = cells.count < 2 ? 0 : max(spread[channel], 1) * count
        }

        var mean: SIMD3<UInt8> {
            let sum = cells.reduce(SIMD3<Int>.zero) { $0 &+ $1.sum }
            let count = cells.reduce(0) { $0 + $1.count }
            return SIMD3<UInt8>(truncatingIfNeeded: (sum &+ SIMD3(repeating: count / 2)) / SIMD3(repeating: count))
        }

        func cut() -> (Box, Box) {
            let sorted = cells.sorted { $0.sum[channel] * $1.count < $1.sum[channel] * $0.count }
            let half = sorted.reduce(0) { $0 + $1.count } / 2
            var seen = 0
            var middle = 0
            while middle < sorted.count - 1, seen + sorted[middle].count <= half {
                seen += sorted[middle].count
                middle += 1
            }
            middle = max(middle, 1)
            return (Box(sorted[..<middle]), Box(sorted[middle...]))
        }
    }

    /// All colours in ascending order, or `nil` when there are too many.
    private static func distinctColors(_ pixels: [UInt8], upTo limit: Int) -> [SIMD3<UInt8>]? {
        var seen = Set<UInt32>()
        var last: UInt32 = .max
        for offset in stride(from: 0, to: pixels.count, by: 4) where pixels[offset + 3] >= 128 {
            let color = UInt32(pixels[offset]) << 16 | UInt32(pixels[offset + 1]) << 8 | UInt32(pixels[offset + 2])
            if color == last { continue }
            last = color
            if seen.insert(color).inserted, seen.count > limit { return nil }
        }
        return seen.sorted().map { color in
            SIMD3(
                UInt8(truncatingIfNeeded: color >> 16), UInt8(truncatingIfNeeded: color >> 8),
                UInt8(truncatingIfNeeded: color))
        }
    }

    private static func medianCut(_ pixels: [UInt8], into count: Int) -> [SIMD3<UInt8>] {
        var cells = [Cell](repeating: Cell(), count: 1 << 15)
        for offset in stride(from: 0, to: pixels.count, by: 4) where pixels[offset + 3] >= 128 {
            let (red, green, blue) = (Int(pixels[offset]), Int(pixels[offset + 1]), Int(pixels[offset + 2]))
            let index = ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3)
            cells[index].count += 1
            cells[index].sum &+= SIMD3(red, green, blue)
        }
        var boxes = [Box(cells.filter { $0.count > 0 }[...])]
        while boxes.count < count {
            // The first of equals, so that the result is deterministic.
            guard let index = boxes.indices.max(by: { boxes[$0].urgency < boxes[$1].urgency }),
                boxes[index].urgency > 0
            else { break }
            let (low, high) = boxes[index].cut()
            boxes[index] = low
            boxes.append(high)
        }
        return boxes.map(\.mean)
    }
}
