// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding
@testable import gallery

/// What a display sends to its terminal, and what it notices of the pictures.
@Suite(.timeLimit(.minutes(1)))
struct DisplayTests {
    private func scene(columns: Int = 20, _ tile: Scene.Tile? = nil) -> Scene {
        var scene = Scene(size: TerminalSize(columns: columns, rows: 10))
        if let tile { scene.tiles = [tile] }
        return scene
    }

    private func tile(_ item: Int, serial: Int, seed: Int, isPreview: Bool = false, row: Int = 0) -> Scene.Tile {
        let picture = ImageFactory.picture(width: 32, height: 32, seed: seed)
        return Scene.Tile(
            id: 7, item: item, rect: ScreenRect(column: 0, row: row, columns: 4, rows: 2),
            layer: Scene.Layer(picture: picture, serial: serial, isPreview: isPreview))
    }

    @Test func `a picture that does not belong to its cell is noticed once, and a preview is not looked at`()
        async throws
    {
        let display = Display(.blocks, checksPictures: true) { _ in }
        let tiles = [
            tile(1, serial: 1, seed: 1), tile(2, serial: 2, seed: 1, isPreview: true), tile(2, serial: 3, seed: 1),
            tile(2, serial: 3, seed: 1), tile(3, serial: 4, seed: 9), tile(2, serial: 5, seed: 2),
        ]
        for tile in tiles { try await display.show(scene(tile)) }
        let report = await display.report
        expectEqual([report.checkedCount, report.wrongCount, report.sceneCount], [4, 2, 6])
    }

    @Test func `kitty forgets a picture that has left the screen, and gets all of them on a screen that is new`()
        async throws
    {
        let sent = Journal<String>()
        let display = Display(.kitty, checksPictures: false) { sent.write(String(decoding: $0, as: UTF8.self)) }
        let picture = "a=T,f=24,s=40,v=40,i=7,"
        let removal = "\u{1B}_Ga=d,d=I,i=7,q=2\u{1B}\\"
        func last(_ scene: Scene) async throws -> String {
            let count = sent.count
            try await display.show(scene)
            return sent.count > count ? sent.entries.last ?? "" : ""
        }
        var text = try await last(scene(tile(1, serial: 1, seed: 1)))
        expectAll(text.contains(picture), !text.contains(removal))
        // A terminal shows the whole at once.
        expectAll(text.hasPrefix("\u{1B}[?2026h"), text.hasSuffix("\u{1B}[?2026l"))
        try await expectEqual(last(scene(tile(1, serial: 1, seed: 1))), "")
        // A picture that has moved is drawn at its new place.
        text = try await last(scene(tile(1, serial: 1, seed: 1, row: 3)))
        expectAll(text.contains(picture), text.contains("\u{1B}[4;1H"))
        text = try await last(scene())
        expectAll(text.contains(removal), !text.contains(picture))
        text = try await last(scene(tile(1, serial: 1, seed: 1)))
        expect(text.contains(picture))
        // After another program has written, and in a window of another size, nothing is there.
        await display.invalidate()
        let removalOfAll = "\u{1B}_Ga=d,d=A,q=2\u{1B}\\"
        text = try await last(scene(tile(1, serial: 1, seed: 1)))
        expectAll(text.contains("\u{1B}[2J"), text.contains(picture), text.contains(removalOfAll))
        text = try await last(scene(columns: 30, tile(1, serial: 1, seed: 1)))
        expectAll(text.contains("\u{1B}[2J"), text.contains(picture), text.contains(removalOfAll))
    }

    @Test func `a patch is painted anew when anything changes that it shows, and forgotten with its cell`() throws {
        var (store, size) = (PatchStore(), PixelSize(width: 8, height: 8))
        var tile = tile(1, serial: 1, seed: 1)
        var revision = 0
        func paint() -> Int {
            store.begin()
            defer { store.end() }
            return store.patch(of: tile, size).revision
        }
        let frame = PlayedFrame(index: 3, loop: 0, frame: try required(tile.layer).picture.frame(at: 0))
        let earlier = Scene.Layer(picture: ImageFactory.picture(width: 8, height: 8, seed: 2), serial: 2)
        let changes: [() -> Void] = [
            {}, { tile.layer?.played = frame }, { (tile.previous, tile.mix) = (earlier, 100) },
            { tile.previous?.played = frame }, { tile.mix = 101 }, { size.width = 16 },
            { tile.layer = Scene.Layer(picture: earlier.picture, serial: 4) }, { tile.previous = nil },
            {
                store.begin()
                store.end()
            },
        ]
        for (number, change) in changes.enumerated() {
            change()
            let next = paint()
            expect(next, >, revision, "change \(number)")
            revision = next
            expectEqual(paint(), revision)
        }
        // The characters are those of the graphics that were asked for.
        let cells = { (graphics: Graphics) in store.cells(of: tile, size, graphics).map(\.character) }
        let halves = cells(.blocks)
        expectAll(halves.allSatisfy { $0 == ScreenCell.upperHalf }, cells(.octants).count == 16)
        expectEqual(cells(.blocks), halves)
    }
}
