// SPDX-License-Identifier: MIT
import Scenes
import TestSupport
import Testing
import WebImageBinding
import WebImageTesting

@testable import gallery

struct GlyphsTests {
    @Test func `every shape has a character of its own`() {
        let characters = (0...255).map { Glyphs.character(of: UInt8($0)) }
        expectEqual(Set(characters).count, 256)
        expect((0...255).allSatisfy { Glyphs.shape(of: characters[$0]) == UInt8($0) })
        // Unicode has 230 octants, in the order of their shapes; the others it had before.
        let octants = characters.filter { (0x1CD00...0x1CDE5).contains($0.value) }
        expectEqual(octants.count, 230)
        expectEqual(octants, octants.sorted())
        expectAll(characters[0] == " ", characters[0x05] == "▘", characters[0xF0] == "▄", characters[0xFF] == "█")
        // BLOCK OCTANT-3, BLOCK OCTANT-2345678.
        expectAll(characters[0x04] == "\u{1CD00}", characters[0xFE] == "\u{1CDE5}")
        expectNil(Glyphs.shape(of: "a"))
    }

    private let red = Color(255, 0, 0)
    private let blue = Color(0, 0, 255)

    /// A patch of one cell, with `blue` pixels in red.
    private func patch(_ blues: Set<Int>) throws -> Patch {
        let pixels: [UInt8] = (0..<8).flatMap { number -> [UInt8] in
            blues.contains(number) ? [0, 0, 255, 255] : [255, 0, 0, 255]
        }
        var patch = Patch(width: 2, height: 4)
        patch.draw(try DecodedImage(width: 2, height: 4, frames: [.init(pixels: pixels)], hasAlpha: false))
        return patch
    }

    @Test func `two colours are shown exactly, in either role`() throws {
        for shape in 1..<255 {
            let cell = Glyphs.cells(try patch(Set((0..<8).filter { shape >> $0 & 1 == 1 })), .octants)[0]
            let drawn = try required(Glyphs.shape(of: cell.character))
            expectEqual(Set([cell.foreground, cell.background]), [red, blue])
            expectEqual(drawn, (cell.foreground == blue ? UInt8(shape) : ~UInt8(shape)))
        }
        let cell = Glyphs.cells(try patch([0, 2]), .quadrants)[0]
        expectEqual(cell, ScreenCell(character: "▘", foreground: blue, background: red))
    }

    @Test(arguments: [Graphics.quadrants, .octants])
    func `a cell of one colour is a space`(_ graphics: Graphics) throws {
        expectEqual(Glyphs.cells(try patch([]), graphics), [ScreenCell(character: " ", background: red)])
    }

    @Test(arguments: [PixelSize(width: 48, height: 32), PixelSize(width: 99, height: 66)])
    func `octants show more of a picture than quadrants, and quadrants more than half blocks`(
        _ size: PixelSize
    ) throws {
        let picture = SceneFactory.picture(width: 480, height: 320, seed: 7)
        let ratios = try [Graphics.blocks, .quadrants, .octants].map {
            try self.ratio(picture, $0, columns: size.width / 2)
        }
        expect(ratios[1], >, ratios[0] + 0.3, "\(ratios)")
        expect(ratios[2], >, ratios[1] + 0.3, "\(ratios)")
    }

    /// The signal-to-noise ratio of a picture on a screen, in decibels, by pixels of a terminal of 8 by 16 to a cell.
    private func ratio(_ picture: DecodedImage, _ graphics: Graphics, columns: Int) throws -> Double {
        let size = TerminalSize(columns: columns, rows: columns / 3 + 2, cell: PixelSize(width: 8, height: 16))
        var scene = Scene(size: size)
        let rect = ScreenRect(column: 0, row: 0, columns: columns, rows: columns / 3)
        func pixels(_ graphics: Graphics) -> [UInt8] {
            var tile = Scene.Tile(id: 1, item: 0, rect: rect)
            tile.isBare = true
            tile.layer = Scene.Layer(picture: picture, serial: 1)
            scene.tiles = [tile]
            var patches = PatchStore()
            return Array(Raster(Composition(scene, graphics, &patches), cell: size.cell).pixels)
        }
        let (wanted, shown) = (pixels(.kitty), pixels(graphics))
        let error = zip(wanted, shown).reduce(0.0) { $0 + Double((Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1))) }
        return 10 * (255 * 255 * Double(wanted.count) / max(1, error)).logarithm
    }
}

extension Double {
    /// To base 10, by halves: Foundation is not needed for it.
    fileprivate var logarithm: Double {
        var (value, result, step) = (self, 0.0, 1.0)
        while value >= 10 { (value, result) = (value / 10, result + 1) }
        for _ in 0..<40 {
            value *= value
            step /= 2
            if value >= 10 { (value, result) = (value / 10, result + step) }
        }
        return result
    }
}
