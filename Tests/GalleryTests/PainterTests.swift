// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

struct PainterTests {
    private let red = Color(255, 0, 0)
    private let blue = Color(0, 0, 255)

    private func picture(_ width: Int, _ height: Int, _ pixels: [UInt8]) throws -> DecodedImage {
        try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: true)
    }

    @Test func `half blocks show one pixel above the other`() throws {
        var patch = Patch(width: 1, height: 2)
        patch.draw(try picture(1, 2, [255, 0, 0, 255, 0, 0, 255, 255]))
        expectEqual(HalfBlocks.cells(patch), [ScreenCell(character: "▀", foreground: red, background: blue)])
    }

    @Test func `a picture is fitted into the middle and mixed with the present pixels`() throws {
        var patch = Patch(width: 3, height: 1, color: Color(100, 100, 100))
        let white = try picture(1, 1, [255, 255, 255, 255])
        patch.draw(white, opacity: 128)
        expectEqual(patch.pixels, [100, 100, 100, 177, 177, 177, 100, 100, 100])
        patch.draw(white)
        patch.draw(try picture(1, 1, [0, 0, 0, 0]))
        expectEqual(patch.pixels, [100, 100, 100, 255, 255, 255, 100, 100, 100])
    }

    @Test(arguments: [
        (PixelSize(width: 480, height: 320), PixelSize(width: 24, height: 16)),
        (PixelSize(width: 2, height: 4), PixelSize(width: 8, height: 16)),
        (PixelSize(width: 5_000, height: 1), PixelSize(width: 24, height: 1)),
    ])
    func `a picture keeps its shape`(_ size: PixelSize, _ fitted: PixelSize) {
        expectEqual(Patch.fit(size, into: PixelSize(width: 24, height: 16)), fitted)
    }

    @Test func `kitty gets a small picture in one sequence, and a large one in chunks of 4,096 letters`() {
        let small = Patch(width: 1, height: 1, color: Color(1, 2, 3))
        let sequence = String(decoding: Kitty.bytes(small, id: 7, columns: 2, rows: 3), as: UTF8.self)
        expectEqual(sequence, "\u{1B}_Ga=T,f=24,s=1,v=1,i=7,p=1,c=2,r=3,C=1,q=2,m=0;AQID\u{1B}\\")
        // What grows lies above pictures with higher numbers.
        let onTop = String(decoding: Kitty.bytes(small, id: 7, columns: 2, rows: 3, isOnTop: true), as: UTF8.self)
        expect(onTop.contains(",q=2,z=1,m=0;"))
        let patch = Patch(width: 64, height: 40, color: Color(9, 8, 7))
        let text = String(decoding: Kitty.bytes(patch, id: 1, columns: 1, rows: 1), as: UTF8.self)
        let chunks = text.split(separator: "\u{1B}\\").map { $0.split(separator: ";", maxSplits: 1) }
        expectEqual(chunks.map { $0[1].count }, [4_096, 4_096, 2_048])
        expectEqual(chunks.map { $0[0].hasSuffix("m=1") }, [true, true, false])
        expect(chunks.dropFirst().allSatisfy { $0[0].hasPrefix("\u{1B}_Gm=") })
        expectEqual(Data(base64Encoded: chunks.map { String($0[1]) }.joined()).map { Array($0) }, patch.pixels)
        // The last chunk may be a full one.
        let full = Kitty.bytes(Patch(width: 32, height: 32, color: red), id: 1, columns: 1, rows: 1)
        expectEqual(String(decoding: full, as: UTF8.self).matches(of: /m=1;/).count, 0)
    }

    @Test func `sixels are in bands of six, one colour after the other, with repeats counted`() throws {
        var patch = Patch(width: 5, height: 7, color: red)
        patch.draw(try picture(1, 1, [0, 0, 255, 255]))
        // A square of 5 by 5 pixels in the middle of 5 by 7: rows 1 to 5 are blue.
        let text = String(decoding: Sixel.bytes(patch), as: UTF8.self)
        let head = "\u{1B}P0;1;0q\"1;1;5;7#5;2;0;0;100#210;2;100;0;0"
        expectEqual(text, head + "#5!5}$#210!5@-#210!5@\u{1B}\\")
        // A line may begin and end with pixels of other colours.
        var wide = Patch(width: 9, height: 3, color: red)
        wide.draw(try picture(1, 1, [0, 0, 255, 255]))
        let lines = "\u{1B}P0;1;0q\"1;1;9;3#5;2;0;0;100#210;2;100;0;0#5???FFF$#210FFF???FFF\u{1B}\\"
        expectEqual(String(decoding: Sixel.bytes(wide), as: UTF8.self), lines)
        // The background is one colour, whatever is dithered beside it.
        let ground = String(decoding: Sixel.bytes(Patch(width: 8, height: 6, color: .background)), as: UTF8.self)
        expectEqual(ground, "\u{1B}P0;1;0q\"1;1;8;6#252;2;6;6;8#252!8~\u{1B}\\")
    }

    @Test func `beside a picture of another shape there is nothing to see`() throws {
        var scene = Scene(size: TerminalSize(columns: 6, rows: 3, cell: PixelSize(width: 1, height: 2)))
        let layer = Scene.Layer(picture: try picture(1, 1, [255, 0, 0, 255]), serial: 1)
        scene.tiles = [Scene.Tile(id: 1, item: 0, rect: .init(column: 0, row: 0, columns: 6, rows: 1), layer: layer)]
        var patches = PatchStore()
        let patch = try required(Composition(scene, .kitty, &patches).placements.first).patch
        expectEqual((0..<6).map { patch.color($0, 0) == .background }, [true, true, false, false, true, true])
    }

    @Test func `a caption has the progress of its picture, and is coloured when it is chosen or has failed`()
        throws
    {
        let layer = Scene.Layer(picture: try picture(1, 1, [255, 0, 0, 255]), serial: 1)
        func screen(_ caption: String, _ layer: Scene.Layer?, _ change: (inout Scene.Tile) -> Void) -> Screen {
            var scene = Scene(size: TerminalSize(columns: 24, rows: 7))
            let rect = ScreenRect(column: 1, row: 0, columns: 20, rows: 4)
            var tile = Scene.Tile(id: 1, item: 0, rect: rect, layer: layer)
            tile.caption = caption
            change(&tile)
            scene.tiles = [tile]
            scene.status = ("one of two", "right")
            var patches = PatchStore()
            return Composition(scene, .quadrants, &patches).screen
        }
        func lines(_ screen: Screen) -> [Substring] {
            screen.text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        // In the middle of an empty place, below a preview, and there instead of what does not fit.
        var found = lines(screen(" 1 jpeg", nil) { $0.progress = 0.5 })
        expectEqual(found[2], "     ━━━━━━──────")
        expectEqual(found[4], "  1 jpeg")
        expectEqual(found[6], " one of two       right")
        found = lines(screen(" 1 jpeg", layer) { $0.progress = 0.25 })
        expectEqual(found[4], "  1 jpeg     ━━──────")
        found = lines(screen(" 1 jpeg, from memory", layer) { $0.progress = 2 })
        expectEqual(found[4], "  1 jpeg     ━━━━━━━━")
        var cell = screen("a", layer) { $0.isSelected = true }[1, 4]
        expectEqual(cell, ScreenCell(character: "a", foreground: .background, background: .accent))
        cell = screen("a", nil) { $0.hasFailed = true }[1, 4]
        expectEqual(cell, ScreenCell(character: "a", foreground: .alarm))
    }
}
