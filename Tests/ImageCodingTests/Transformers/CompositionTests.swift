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
        let formula = try #require(CompositionTests.formulas[mode])
        for below in stride(from: 0, through: 255, by: 15) {
            for above in stride(from: 0, through: 255, by: 15) {
                func grey(_ value: Int) -> PixelColor {
                    PixelColor(red: UInt8(value), green: UInt8(value), blue: UInt8(value))
                }
                var canvas = try PremultipliedCanvas(PixelSize(width: 1, height: 1), color: grey(below))
                try canvas.draw(still(1, 1, grey(above)), x: 0, y: 0, blend: mode)
                let expected = formula(Double(below) / 255, Double(above) / 255) * 255
                #expect(abs(Double(canvas.pixels[0]) - expected) <= 0.51, "\(above) over \(below)")
                expectEqual(canvas.pixels[3], 255)
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

    @Test func `pictures lie in the middle of their cells, row by row, and a sheet that cannot be is refused`() throws {
        var sheet = try ContactSheet(
            count: 5, cell: PixelSize(width: 10, height: 8), columns: 2, spacing: 1, background: .black)
        expectEqual(sheet.image.size, PixelSize(width: 23, height: 28))
        try sheet.place(still(4, 8, .white), at: 3)
        expectEqual(pixel(sheet.image, 12 + 3, 10), [255, 255, 255, 255])
        expectEqual(pixel(sheet.image, 12 + 2, 10), [0, 0, 0, 255])
        try sheet.place(still(400, 400, .white), at: 0)
        expectEqual(pixel(sheet.image, 2, 1), [255, 255, 255, 255])
        expectEqual(pixel(sheet.image, 1, 1), [0, 0, 0, 255])
        try sheet.place(still(10, 4, .white), at: 4)
        expectEqual(pixel(sheet.image, 1, 19 + 2), [255, 255, 255, 255])
        expectEqual(pixel(sheet.image, 1, 19 + 1), [0, 0, 0, 255])
        for index in [-1, 5] {
            expectImageError(.invalidRequest) { try sheet.place(still(1, 1, .white), at: index) }
        }
        try expectEqual(ContactSheet(count: 12).columns, 4)
        try expectEqual(ContactSheet(count: 1).columns, 1)
        for (count, side, columns) in [(0, 1, 1), (1, 0, 1), (1, 1, 0), (.max, 1, 1), (4, .max, 1)] as [(Int, Int, Int)]
        {
            expectImageError(nil, "\(count), \(side), \(columns)") {
                try ContactSheet(count: count, cell: PixelSize(width: side, height: side), columns: columns)
            }
        }
    }
}
