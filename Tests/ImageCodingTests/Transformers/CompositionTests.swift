// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

@Suite struct CompositionTests {
    private func still(_ width: Int, _ height: Int, _ color: PixelColor) throws -> DecodedImage {
        try PremultipliedCanvas(PixelSize(width: width, height: height), color: color).image
    }

    private func pixel(_ image: DecodedImage, _ x: Int, _ y: Int) -> [UInt8] {
        let at = (y * image.width + x) * 4
        return Array(image.pixels[at..<at + 4])
    }

    @Test func `a canvas is filled, drawn on and cut off at its edges, and refused without pixels`() throws {
        var canvas = try PremultipliedCanvas(PixelSize(width: 4, height: 3), color: .white)
        expect(!canvas.image.hasAlpha)
        let before = canvas
        try canvas.draw(still(3, 3, .black), x: 3, y: -2)
        expectEqual(pixel(canvas.image, 3, 0), [0, 0, 0, 255])
        expectEqual(pixel(canvas.image, 3, 1), [255, 255, 255, 255])
        expectEqual(pixel(canvas.image, 2, 0), [255, 255, 255, 255])
        canvas.fill(
            PixelRect(x: -1, y: 2, width: 2, height: .max), with: PixelColor(red: 200, green: 0, blue: 0, alpha: 51))
        expectEqual(pixel(canvas.image, 0, 2), [40, 0, 0, 51])
        expect(canvas.image.hasAlpha)
        for place in [(4, 0), (.max, .max), (.min, 0), (-3, 0)] {
            let copy = canvas
            try canvas.draw(still(3, 3, .black), x: place.0, y: place.1)
            expectEqual(canvas.pixels, copy.pixels)
        }
        try canvas.draw(still(3, 3, .black), x: 0, y: 0, opacity: .nan)
        let glass = try still(3, 3, PixelColor(red: 255, green: 0, blue: 0, alpha: 102))
        for (opacity, expected) in [(0.5, 204), (1, 153), (7, 153)] as [(Double, UInt8)] {
            var copy = before
            try copy.draw(glass, x: 0, y: 0, opacity: opacity)
            expectEqual(pixel(copy.image, 2, 2), [255, expected, expected, 255], "\(opacity)")
        }
        expect(before.pixels.allSatisfy { $0 == 255 })
        for (width, height) in [(0, 4), (-1, -1), (.max, .max)] as [(Int, Int)] {
            expectImageError(nil, "\(width) by \(height)") {
                try PremultipliedCanvas(PixelSize(width: width, height: height))
            }
        }
    }

    /// Each mode by its formula, on opaque colours of 0 to 1.
    private static let formulas: [BlendMode: @Sendable (Double, Double) -> Double] = [
        .normal: { _, above in above }, .multiply: { $0 * $1 }, .screen: { $0 + $1 - $0 * $1 },
        .overlay: { below, above in below <= 0.5 ? 2 * below * above : 1 - 2 * (1 - below) * (1 - above) },
        .hardLight: { below, above in above <= 0.5 ? 2 * below * above : 1 - 2 * (1 - below) * (1 - above) },
        .darken: { min($0, $1) }, .lighten: { max($0, $1) }, .difference: { abs($0 - $1) },
        .plus: { min($0 + $1, 1) },
    ]

    @Test(arguments: BlendMode.allCases)
    func `each mode mixes opaque colours by its formula, and where only one picture is, it shows unmixed`(
        mode: BlendMode
    ) throws {
        let formula = try required(CompositionTests.formulas[mode])
        for below in stride(from: 0, through: 255, by: 15) {
            for above in stride(from: 0, through: 255, by: 15) {
                func grey(_ value: Int) -> PixelColor {
                    PixelColor(red: UInt8(value), green: UInt8(value), blue: UInt8(value))
                }
                var canvas = try PremultipliedCanvas(PixelSize(width: 1, height: 1), color: grey(below))
                try canvas.draw(still(1, 1, grey(above)), x: 0, y: 0, blend: mode)
                let expected = formula(Double(below) / 255, Double(above) / 255) * 255
                expect(abs(Double(canvas.pixels[0]) - expected), <=, 0.51, "\(above) over \(below)")
                expectEqual(canvas.pixels[3], 255)
            }
        }
        // As far as both are opaque, they are mixed.
        let alphas: [UInt8] = [51, 128, 255]
        for (under, over) in alphas.flatMap({ under in alphas.map { (under, $0) } }) {
            let below = PixelColor(red: 250, green: 90, blue: 10, alpha: under)
            let above = PixelColor(red: 30, green: 200, blue: 100, alpha: over)
            for opacity in [1, 0.4] {
                var canvas = try PremultipliedCanvas(PixelSize(width: 1, height: 1), color: below)
                let (b, a) = (canvas.pixels.map { Double($0) / 255 }, try still(1, 1, above).pixels)
                try canvas.draw(still(1, 1, above), x: 0, y: 0, opacity: opacity, blend: mode)
                let s = a.map { Double($0) / 255 * opacity }
                for channel in 0..<3 {
                    let mixed = formula(b[channel] / b[3], s[channel] / s[3]) * s[3] * b[3]
                    let alone = s[channel] * (1 - b[3]) + b[channel] * (1 - s[3])
                    let expected = mode == .plus ? min(s[channel] + b[channel], 1) : mixed + alone
                    expect(abs(Double(canvas.pixels[channel]) - expected * 255), <=, 0.51, "\(over) over \(under)")
                }
                let alpha = mode == .plus ? min(s[3] + b[3], 1) : s[3] + b[3] - s[3] * b[3]
                expect(abs(Double(canvas.pixels[3]) - alpha * 255), <=, 0.51, "\(over) over \(under)")
            }
        }
        let color = PixelColor(red: 200, green: 100, blue: 50)
        var empty = try PremultipliedCanvas(PixelSize(width: 1, height: 1))
        try empty.draw(still(1, 1, color), x: 0, y: 0, blend: mode)
        expectEqual(empty.pixels, [200, 100, 50, 255])
        var full = try PremultipliedCanvas(PixelSize(width: 1, height: 1), color: color)
        try full.draw(still(1, 1, .clear), x: 0, y: 0, blend: mode)
        expectEqual(full.pixels, [200, 100, 50, 255])
    }

    @Test func `pictures lie in full rows with equal gaps, and a sheet that cannot be is refused`() throws {
        let shapes = [(300, 200), (200, 300), (400, 100), (640, 480), (1, 1), (30, 4_000), (9_000, 30), (500, 400)]
        let sizes = shapes.map { PixelSize(width: $0.0, height: $0.1) }
        for (width, rowHeight, spacing, caption) in [(1_000, 160, 12, 20), (300, 60, 0, 0), (97, 20, 3, 1)] {
            let sheet = try ContactSheet(
                of: sizes, width: width, rowHeight: rowHeight, spacing: spacing, caption: caption)
            expectEqual(sheet.frames.count, sizes.count)
            let rows = Dictionary(grouping: sheet.frames, by: \.y).sorted { $0.key < $1.key }.map(\.value)
            var bottom = 0
            for row in rows {
                expectEqual(row[0].x, spacing)
                expectEqual(Set(row.map(\.height)).count, 1)
                expectEqual(row[0].y, bottom + spacing)
                for (one, next) in zip(row, row.dropFirst()) { expectEqual(next.x, one.x + one.width + spacing) }
                let end = try required(row.last)
                if row[0].height < 2 * rowHeight { expect(abs(end.x + end.width + spacing - width), <=, 1) }
                bottom = row[0].y + row[0].height + caption
            }
            expectEqual(sheet.image.size, PixelSize(width: width, height: bottom + spacing))
            // A picture may change its shape by less than a pixel.
            for (index, size) in sizes.enumerated() {
                let frame = sheet.frames[index]
                let shown = PixelSize(width: min(frame.width, size.width), height: min(frame.height, size.height))
                if shown.width == frame.width, shown.height == frame.height {
                    expectEqual(sheet.thumbnail(at: index).resultSize(for: size), shown)
                }
            }
            for (frame, size) in zip(sheet.frames, sizes) where frame.height > 40 && frame.width > 40 {
                #expect(
                    abs(Double(frame.width) / Double(frame.height) / (Double(size.width) / Double(size.height)) - 1)
                        < 0.05)
            }
        }
        // About square, when no width is given.
        let square = try ContactSheet(of: [PixelSize](repeating: PixelSize(width: 3, height: 2), count: 40)).image.size
        expect((0.7...1.4).contains(Double(square.width) / Double(square.height)))
        for (count, width, rowHeight, spacing) in [
            (0, 100, 10, 1), (1, 0, 10, 1), (1, 100, 0, 1), (1, 100, 10, 50), (1, 100, 10, -1), (1, .max, 10, 1),
            (1, 100, 10, .max), (1, .max, .max, 0),
        ] {
            expectImageError(nil, "\(count), \(width), \(rowHeight), \(spacing)") {
                let sizes = [PixelSize](repeating: PixelSize(width: 4, height: 4), count: count)
                return try ContactSheet(of: sizes, width: width, rowHeight: rowHeight, spacing: spacing)
            }
        }
        expectImageError(.invalidRequest) { try ContactSheet(of: [PixelSize(width: 4, height: 0)]) }
        // A row is at most twice as high as asked for, and the sheet within its own limits.
        let one = [PixelSize(width: 10, height: 10)]
        try expectEqual(ContactSheet(of: one, width: 1_000, rowHeight: 20).frames.map(\.height), [40])
        expectImageError(.tooLarge) {
            try ContactSheet(of: one, width: 100, limits: ImageLimits(maximumPixelCount: 99))
        }
    }

    @Test func `a picture fills its frame, and one that is smaller lies in the middle`() throws {
        let sizes = [PixelSize(width: 100, height: 80), PixelSize(width: 10, height: 8)]
        var sheet = try ContactSheet(of: sizes, width: 86, rowHeight: 32, spacing: 2, background: .black)
        expectEqual(sheet.frames.map(\.width), [40, 40])
        try sheet.place(still(100, 80, .white), at: 0)
        for (x, y, value) in [(2, 2, 255), (41, 33, 255), (1, 2, 0), (42, 2, 0), (2, 34, 0)] as [(Int, Int, UInt8)] {
            expectEqual(pixel(sheet.image, x, y), [value, value, value, 255], "\(x), \(y)")
        }
        try sheet.place(still(10, 8, .white), at: 1)
        expectEqual(pixel(sheet.image, 44 + 15, 2 + 12), [255, 255, 255, 255])
        expectEqual(pixel(sheet.image, 44 + 14, 2 + 12), [0, 0, 0, 255])
        expectEqual(pixel(sheet.image, 44 + 25, 2 + 12), [0, 0, 0, 255])
        for index in [-1, 2] {
            expectImageError(.invalidRequest) { try sheet.place(still(1, 1, .white), at: index) }
        }
    }
}
