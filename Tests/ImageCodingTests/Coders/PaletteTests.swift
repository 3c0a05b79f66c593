// SPDX-License-Identifier: MIT
import CImageShims
import TestSupport
import Testing

@testable import ImageCoding

/// Palettes and indexes against the same arithmetic on lists of pixels.
@Suite struct PaletteTests {
    @Test func `a palette is chosen and used as one by one, dithered or not`() async {
        await Property(cases: 300) { draw in
            let (width, height) = (draw.number(1...7), draw.oneOf([1, 2, 5, 18]))
            let values = draw.oneOf([[0, 255, 100, 103], Array(0...255)])
            let alphas = draw.oneOf([[255], [255, 128, 127, 0]])
            let pixels = (0..<width * height).map { _ in
                (0..<3).map { _ in draw.oneOf(values) } + [draw.oneOf(alphas)]
            }
            return (
                width: width, pixels: pixels, most: draw.oneOf([2, 3, 5, 16, 256]), isDithered: draw.isTrue(),
                hasAlpha: alphas.count > 1
            )
        }.holds { width, pixels, most, isDithered, hasAlpha in
            let made = try IndexedPixels(
                pixels.flatMap { $0.map(UInt8.init) }, width: width, hasAlpha: hasAlpha, maxColors: most,
                isDithered: isDithered)
            let plain = PlainPalette(pixels, most: hasAlpha ? most - 1 : most)
            let indexes = plain.indexes(of: pixels, width, isDithered: isDithered)
            return difference(made.palette.map { Int($0) }, plain.colors.map { $0[0] << 16 | $0[1] << 8 | $0[2] })
                ?? difference(made.transparent, hasAlpha ? plain.colors.count : nil, "transparent:")
                ?? difference(made.indexes.map { Int($0) }, indexes)
        }
    }

    @Test func `the nearest entry of a cell of colours is looked for once`() {
        var nearest = [Int16](repeating: -1, count: 1 << 18)
        var (errors, indexes) = ([Int32](repeating: 0, count: 2 * 3 * 4), [UInt8](repeating: 9, count: 2))
        var job = swi_indexing(width: 2, colour_count: 2, is_exact: 0, is_dithered: 0, transparent: 0)
        let pixels: [UInt8] = [248, 249, 250, 255, 251, 250, 249, 255]
        unsafe swi_index_rows(&job, [0, 0xFFFFFF], &nearest, &errors, pixels, 0, 1, &indexes)
        expectEqual(indexes, [1, 1])
        let cell = 62 << 12 | 62 << 6 | 62
        expectEqual(nearest[cell], 1)
        nearest[cell] = -1
        expect(!nearest.contains { $0 >= 0 })
        nearest[cell] = 0
        unsafe swi_index_rows(&job, [0, 0xFFFFFF], &nearest, &errors, pixels, 0, 1, &indexes)
        expectEqual(indexes, [0, 0])
    }
}

/// A palette of lists of numbers.
private struct PlainPalette {
    private struct Cell {
        var count = 0
        var sum = [0, 0, 0]
    }

    /// Red, green and blue.
    private(set) var colors: [[Int]] = []
    private let isExact: Bool

    init(_ pixels: [[Int]], most: Int) {
        let opaque = pixels.filter { $0[3] >= 128 }
        let distinct = Set(opaque.map { Array($0[..<3]) })
        isExact = distinct.count <= most
        if isExact {
            colors = distinct.isEmpty ? [[0, 0, 0]] : distinct.sorted { $0.lexicographicallyPrecedes($1) }
            return
        }
        var cells: [[Int]: Cell] = [:]
        for pixel in opaque {
            let key = pixel[..<3].map { $0 / 8 }
            cells[key, default: Cell()].count += 1
            for channel in 0..<3 { cells[key]?.sum[channel] += pixel[channel] }
        }
        var boxes = [cells.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)]
        while boxes.count < most {
            let urgencies = boxes.map { Self.spread($0).urgency }
            guard let top = urgencies.max(), top > 0, let best = urgencies.firstIndex(of: top) else { break }
            let (first, second) = Self.halves(boxes[best])
            boxes[best] = first
            boxes.append(second)
        }
        colors = boxes.map { box in
            let count = box.reduce(0) { $0 + $1.count }
            return (0..<3).map { channel in (box.reduce(0) { $0 + $1.sum[channel] } + count / 2) / count }
        }
    }

    /// The channel along which the means of cells spread most, green before red before blue; the spread times the
    /// pixels, and nothing for one cell.
    private static func spread(_ box: [Cell]) -> (channel: Int, urgency: Int) {
        let spreads = (0..<3).map { channel in
            let means = box.map { $0.sum[channel] / $0.count }
            return (means.max() ?? 0) - (means.min() ?? 0)
        }
        let most = spreads.max() ?? 0
        let channel = [1, 0, 2].first { spreads[$0] == most } ?? 1
        return (channel, box.count < 2 ? 0 : max(most, 1) * box.reduce(0) { $0 + $1.count })
    }

    /// The cells up to the median of the pixels, and the others; cells of equal means keep their order.
    private static func halves(_ box: [Cell]) -> ([Cell], [Cell]) {
        let channel = spread(box).channel
        let sorted = box.enumerated().sorted { one, other in
            let (left, right) = (
                one.element.sum[channel] * other.element.count, other.element.sum[channel] * one.element.count
            )
            return left == right ? one.offset < other.offset : left < right
        }.map(\.element)
        let half = box.reduce(0) { $0 + $1.count } / 2
        var (cut, seen) = (0, 0)
        while cut < sorted.count - 1, seen + sorted[cut].count <= half {
            seen += sorted[cut].count
            cut += 1
        }
        cut = max(cut, 1)
        return (Array(sorted[..<cut]), Array(sorted[cut...]))
    }

    /// The first of the entries that are nearest to the middle of four values of each channel.
    private func nearest(_ color: [Int]) -> Int {
        let distances = colors.map { entry in
            (0..<3).reduce(0) { sum, channel in
                let step = entry[channel] - (color[channel] / 4 * 4 + 2)
                return sum + step * step
            }
        }
        return distances.indices.min { distances[$0] < distances[$1] } ?? 0
    }

    /// Passes 7, 3, 5 and 1 sixteenths of each error on: to the right, and below from left to right.
    func indexes(of pixels: [[Int]], _ width: Int, isDithered: Bool) -> [Int] {
        var errors = [[Int]](repeating: [0, 0, 0], count: pixels.count)
        return pixels.indices.map { place in
            let pixel = pixels[place]
            guard pixel[3] >= 128 else { return colors.count }
            if isExact { return colors.firstIndex(of: Array(pixel[..<3])) ?? -1 }
            let wanted = (0..<3).map { channel -> Int in
                let error: Int = isDithered ? (errors[place][channel] + 8) >> 4 : 0
                return min(max(pixel[channel] + error, 0), 255)
            }
            let index = nearest(wanted)
            for (right, down, share) in [(1, 0, 7), (-1, 1, 3), (0, 1, 5), (1, 1, 1)] {
                let x = place % width + right
                let next = place + right + down * width
                guard (0..<width).contains(x), next < pixels.count else { continue }
                for channel in 0..<3 { errors[next][channel] += share * (wanted[channel] - colors[index][channel]) }
            }
            return index
        }
    }
}
