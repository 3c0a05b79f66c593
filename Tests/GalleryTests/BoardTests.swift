// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct BoardTests {
    private func play(_ text: String, columns: Int, rows: Int, _ body: (ScriptRun, Stage) async throws -> Void)
        async throws
    {
        try await withStage(beginsWithBoard: true) { stage in
            let run = ScriptRun(
                try Script(text), stage,
                .init(
                    size: TerminalSize(columns: columns, rows: rows), graphics: .quadrants, origin: stage.origin,
                    flights: stage.flights),
                isTimed: false)
            try await run.play()
            try await body(run, stage)
        }
    }

    /// The numbers before the words of the totals.
    private func number(_ word: String, in text: String) throws -> Int {
        let pieces = text.split(separator: "\n").flatMap { $0.split(separator: "   ") }
        let piece = try required(pieces.last { $0.hasSuffix(" \(word)") })
        return try required(Int(piece.filter { $0.isNumber }))
    }

    @Test func `a thousand callers become ten downloads, and who asks again asks memory`() async throws {
        // While they come, no other stampede begins.
        try await play("tick:600 a m c wait", columns: 120, rows: 30) { run, stage in
            let text = try required(await run.screen).text
            expect(text.contains("1,000 callers   10 downloads"))
            let joined = try number("joined", in: text)
            expectEqual(joined + 10, 1_000)
            let left = try number("gave up", in: text)
            let served = try number("served", in: text)
            expectAll(left > 100, left + served == 1_000)
            // Every caller of the last picture has left before it was there.
            expectAll(text.contains("cancelled"), text.contains("1 cancelled"), text.contains("all left"))
            expectEqual(stage.flights?.manager.counters.downloads, 10)
        }
        // Another stampede does not begin within one.
        try await play("tick:500 a wait", columns: 120, rows: 30) { run, stage in
            let text = try required(await run.screen).text
            expectAll(text.contains("1,000 callers   10 downloads"), text.contains("1 cancelled"))
            let ended = try number("served", in: text) + number("gave up", in: text)
            expectEqual(ended, 1_000)
        }
        try await play("wait a wait", columns: 120, rows: 30) { run, stage in
            let text = try required(await run.screen).text
            // The picture that was cancelled is downloaded now.
            expect(text.contains("1,000 callers   1 download "))
            let ended = try number("served", in: text) + number("gave up", in: text)
            expectEqual(ended, 1_000)
            expectAll(text.contains(" from memory"), !text.contains("cancelled"))
            expectEqual(stage.flights?.manager.counters.downloads, 11)
        }
    }

    @Test(arguments: [(40, 24), (200, 50)])
    func `the board in flight shows every state and fits`(columns: Int, rows: Int) async throws {
        try await play("tick:2200 q", columns: columns, rows: rows) { run, _ in
            let screen = try required(await run.screen)
            let lines = screen.text.split(separator: "\n", omittingEmptySubsequences: false)
            expectAll(lines.count == rows, lines[0].contains("1,000 callers"), lines[0].hasSuffix("2.2 s"))
            expectAll(lines[rows - 3].contains("1,000 callers"), lines[rows - 3].contains(" joined"))
            expectAll(lines[rows - 2].contains(" gave up"), lines[rows - 1].contains("slots ●"))
            expectAll(screen.text.contains("%"), screen.text.contains("queued"), screen.text.contains("done"))
            expect(!screen.text.replacing("?: keys", with: "").contains("?"))
        }
    }

    @Test func `without memory the disk answers, and without both the origin`() async throws {
        try await play("wait c wait m wait", columns: 120, rows: 30) { run, stage in
            let text = try required(await run.screen).text
            expect(text.contains("1,000 callers   0 downloads"))
            try expectEqual(number("from disk", in: text), 10)
            expectEqual(stage.flights?.manager.counters.downloads, 20)
        }
    }

    @Test func `the board is left by a key, and help is shown over it`() async throws {
        try await play("wait ?", columns: 80, rows: 24) { run, _ in
            let text = try required(await run.screen).text
            expectAll(text.contains("A thousand callers"), text.contains("any key: back"))
            expect(text.contains("again from  a: memory  m: disk  c: origin"))
        }
        // Help is the last that a gallery shows that quits over it.
        try await play("wait ? q", columns: 80, rows: 24) { run, _ in
            try await expect(required(run.screen).text.contains("any key: back"))
        }
        try await play("wait b wait", columns: 80, rows: 24) { run, _ in
            let text = try required(await run.screen).text
            expect(text.contains(" 1 of 60"))
            await expectEqual(run.wrongCount, 0)
        }
    }
}
