// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct RecordingTests {
    private func record(
        _ text: String, _ graphics: Graphics = .quadrants, _ body: (ScriptRun, Screen) async throws -> Void
    ) async throws {
        try await withStage(pieces: .init(least: 2, more: 3)) { stage in
            var size = TerminalSize(columns: 52, rows: 19)
            size.cell = PixelSize(width: 6, height: 12)
            let run = ScriptRun(
                try Script(text), stage,
                .init(
                    size: size, graphics: graphics, origin: stage.origin, flights: stage.flights, previewInterval: .zero
                ), isTimed: false, isRecorded: true)
            try await run.play()
            try await body(run, try required(await run.screen))
        }
    }

    @Test func `an asciicast in a terminal leads to the last screen, at the times of the script`() async throws {
        try await record("tick:1000 right down tick:500 enter tick:300") { run, screen in
            let file = String(decoding: try run.recording(), as: UTF8.self)
            var lines = file.split(separator: "\n").map(String.init)
            let head = try required(
                try JSONSerialization.jsonObject(with: Data(lines.removeFirst().utf8)) as? [String: Any])
            expectAll(head["version"] as? Int == 2, head["width"] as? Int == 52, head["height"] as? Int == 19)
            var terminal = EmulatedTerminal(columns: 52, rows: 19)
            var times: [Double] = []
            for line in lines {
                let event = try required(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
                expect(event.count == 3 && event[1] as? String == "o")
                times.append(try required(event[0] as? Double))
                terminal.feed(Array(try required(event[2] as? String).utf8))
            }
            expectEqual(terminal.screen, screen)
            expectAll(times == times.sorted(), times.first == 0)
            // The script has its own tenths of a second.
            expect(times.allSatisfy { abs($0 * 10 - ($0 * 10).rounded()) < 1e-6 })
            expectAll(times.count > 15, (times.last ?? 0) >= 4.8)
        }
    }

    @Test func `the frames of the animation are the screens`() async throws {
        try await record("tick:800 down tick:300") { run, screen in
            let image = try ImageCoders.default.decode(try await run.gif())
            expectEqual(image.size, PixelSize(width: 312, height: 228))
            expectEqual(image.loopCount, 0)
            expect(image.frameCount, >, 5)
            let durations = image.durations
            expectEqual(durations.last, Film.lastScreen)
            expect(durations.allSatisfy { Int($0 / .milliseconds(1)) % 100 == 0 })
            // The first screen is empty but for its lines, the last one shows pictures.
            let expected = try ImageCoders.default.decode(try await run.png())
            let last = try image.frame(at: image.frameCount - 1).pixels
            let error = zip(last, expected.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / last.count
            expect(error, <, 4)
            try expect(image.frame(at: 0).pixels != last)
        }
    }

    @Test func `an animation begins where the script cuts`() async throws {
        try await record("wait cut tick:100") { run, _ in
            let image = try ImageCoders.default.decode(try await run.gif())
            let expected = try ImageCoders.default.decode(try await run.png())
            let first = try image.frame(at: 0).pixels
            let error = zip(first, expected.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / first.count
            expect(error, <, 8, "the pictures are there already")
        }
    }

    @Test func `previews are on the screen before the pictures, and none is taken for a wrong picture`() async throws {
        try await record("s tick:1500 q") { run, screen in
            expect(screen.text.contains(", preview"))
            await expectEqual(run.wrongCount, 0)
        }
        try await record("s tick:1500 s wait") { run, screen in
            expectAll(!screen.text.contains("preview"), screen.text.contains(", downloaded"))
        }
    }

    @Test func `a screen that does not change is one frame, and one time has one frame`() {
        var film = Film(cell: PixelSize(width: 4, height: 8))
        var patches = PatchStore()
        func composition(_ text: String) -> Composition {
            var scene = Scene(size: TerminalSize(columns: 10, rows: 3))
            scene.status = (text, "")
            return Composition(scene, .blocks, &patches)
        }
        film.add(composition("a"), at: .zero)
        film.add(composition("a"), at: .milliseconds(100))
        film.add(composition("b"), at: .milliseconds(200))
        film.add(composition("c"), at: .milliseconds(200))
        film.add(composition("c"), at: .milliseconds(300))
        expectEqual(film.count, 2)
        // Too early for another frame, but not lost at the end.
        film.add(composition("d"), at: .milliseconds(300))
        expectEqual(film.count, 3)
        film.add(composition("e"), at: .milliseconds(400))
        expectEqual(film.count, 3)
        film.add(composition("f"), at: .milliseconds(500), isMotion: true)
        film.add(composition("g"), at: .milliseconds(600))
        film.add(composition("f"), at: .milliseconds(700))
        expectEqual(film.count, 4)
        expectEqual(Cast.seconds(.milliseconds(12_345)), "12.345")
        expectEqual(Cast.seconds(.milliseconds(7)), "0.007")
    }

    @Test(arguments: ["80x3", "9x5", "4x20"])
    func `a terminal too small for a picture shows how far its download is, too`(size: String) async throws {
        try await record("size:\(size) tick:1500") { _, screen in
            let words = size.split(separator: "x").compactMap { Int($0) }
            expectEqual([screen.columns, screen.rows], words)
        }
    }

    @Test func `a picture grows from its place to the whole screen and back`() {
        let small = ScreenRect(column: 10, row: 5, columns: 24, rows: 8)
        let whole = ScreenRect(column: 0, row: 0, columns: 100, rows: 36)
        expectEqual(Motion.rect(at: 0, from: small, to: whole), small)
        expectEqual(Motion.rect(at: 256, from: small, to: whole), whole)
        expectEqual(Motion.rect(at: 900, from: small, to: whole), whole)
        let rects = (0...16).map { Motion.rect(at: $0 * 16, from: small, to: whole) }
        expect(zip(rects, rects.dropFirst()).allSatisfy { $0.columns <= $1.columns && $0.column >= $1.column })
        expect(Set(rects).count, >, 10)
    }
}
