// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ScriptRunTests {
    private func play(_ text: String, columns: Int, rows: Int, _ body: (ScriptRun) async throws -> Void) async throws {
        try await withStage { stage in
            let run = ScriptRun(
                try Script(text), stage,
                .init(size: TerminalSize(columns: columns, rows: rows), graphics: .blocks, origin: stage.origin),
                isTimed: false)
            try await run.play()
            try await body(run)
        }
    }

    @Test func `a script leads to the expected screen`() async throws {
        try await play("wait down wait pagedown wait m wait up wait up wait up wait", columns: 51, rows: 19) { run in
            let screen = try required(await run.screen)
            let line = String(repeating: "▀", count: 24) + "  " + String(repeating: "▀", count: 24)
            let block = Array(repeating: line, count: 8)
            let captions = [
                " 1 jpeg, from memory       2 jpeg, from memory", " 3 png, from disk          4 gif, from disk",
            ]
            let lines = screen.text.split(separator: "\n").map(String.init)
            expectEqual(Array(lines.dropLast()), block + [captions[0]] + block + [captions[1]])
            // What has not happened is not counted.
            let status = try required(lines.last)
            expectAll(status.hasPrefix(" 1 of 60   12 downloaded   "), status.hasSuffix(" from disk    ?: keys"))
            expect(!status.contains(" 0 "))
            expectEqual(screen.seeds(Grid(itemCount: 60, screenColumns: 51, screenRows: 19), top: 0), [0, 1, 2, 3])
        }
    }

    @Test(arguments: [(40, 12), (80, 24), (200, 50)])
    func `a question mark shows the keys, and any key the pictures again`(columns: Int, rows: Int) async throws {
        expect(Gallery.help.allSatisfy { $0.count <= 38 })
        try await play("wait ?", columns: columns, rows: rows) { run in
            let text = try required(await run.screen).text
            expectAll(text.contains("choose a picture"), text.contains("quit"), text.contains("any key: back"))
            expect(!text.contains("jpeg"))
        }
        try await play("wait ? right wait", columns: columns, rows: rows) { run in
            let text = try required(await run.screen).text
            expectAll(text.contains(" 1 of 60"), text.contains("jpeg"), text.contains("?: keys"))
        }
    }

    @Test func `a gallery that has quit sends nothing more, whatever arrives`() async throws {
        try await withStage { stage in
            let sent = Atomic(0)
            let display = Display(.blocks, checksPictures: false) { _ in sent.add(1, ordering: .relaxed) }
            let gallery = Gallery(
                stage.items, stage.manager, display,
                .init(size: TerminalSize(columns: 80, rows: 24), graphics: .blocks, origin: stage.origin))
            gallery.handle(.interrupt)
            await gallery.displayed()
            let count = sent.load(ordering: .relaxed)
            gallery.resize(TerminalSize(columns: 40, rows: 12))
            await gallery.displayed()
            expectAll(count > 0, sent.load(ordering: .relaxed) == count)
            // A terminal that cannot be written to ends it.
            let broken = Display(.blocks, checksPictures: false) { _ in throw SystemError(call: "write", number: EPIPE)
            }
            let mute = Gallery(
                stage.items, stage.manager, broken,
                .init(size: TerminalSize(columns: 80, rows: 24), graphics: .blocks, origin: stage.origin))
            await mute.displayed()
            expectAll(mute.hasQuit, mute.failure as? SystemError == SystemError(call: "write", number: EPIPE))
        }
    }

    @Test func `after a scroll without waits every cell shows its own picture`() async throws {
        try await play("down*9 up*4 end home pagedown*3 g 31 enter s p", columns: 80, rows: 24) { run in
            let screen = try required(await run.screen)
            let seeds = screen.seeds(Grid(itemCount: 60, screenColumns: 80, screenRows: 24), top: 9)
            expect(seeds == [27, 28, 29, 30, 31, 32] || seeds == [30, 31, 32, 33, 34, 35])
            await expectEqual(run.wrongCount, 0)
            let figures = await run.timing()
            expect(
                figures.contains(/main-actor turns: [1-9].*\nscenes painted: [1-9]\d*, [1-9]\d* bytes\n/), "\(figures)")
            expect(figures.contains(/\npictures checked: [1-9]\d*, wrong: 0$/), "\(figures)")
        }
    }

    @Test func `a zoomed picture has the whole screen, and its frames play`() async throws {
        try await play("g 4 enter wait enter wait tick:60", columns: 60, rows: 20) { run in
            let screen = try required(await run.screen)
            let grid = Grid(itemCount: 60, screenColumns: 60, screenRows: 20)
            expectEqual(screen.seed(grid.whole), 3)
            expect(screen.text.contains(" 4 gif"))
        }
    }

    @Test func `the picture of the screen has the pixels of the screen`() async throws {
        try await play("wait", columns: 30, rows: 11) { run in
            let image = try ImageCoders.default.decode(try await run.png())
            expectEqual(image.size, PixelSize(width: 300, height: 220))
            let screen = try required(await run.screen)
            let cell = screen[4, 3]
            let pixel = (3 * 20 * 300 + 4 * 10) * 4
            let color = Array(image.pixels[pixel..<pixel + 3])
            expectEqual(color, [cell.foreground.red, cell.foreground.green, cell.foreground.blue])
        }
    }
}
