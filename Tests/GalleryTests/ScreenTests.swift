// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import gallery

@Suite(.replayed)
struct ScreenTests {
    @Test func `untrusted text cannot control the terminal, and what is beyond the screen is not written`() {
        var line = Screen(columns: 6, rows: 1)
        line.write("a\u{1B}[2Jé and on", 0, 0)
        expectEqual(line.text, "a?[2J?")
        line.write("\u{9B}\u{7F}\u{202E}abc", 0, 0)
        expectEqual(line.text, "???abc")
        expectEqual("a\u{1B}b\u{202E}\u{2028}é".printable, "a\\u{1B}b\\u{202E}\\u{2028}é")
        var screen = Screen(columns: 3, rows: 2)
        screen.write("abc", 2, 1)
        screen.write("abc", 0, 2)
        screen.write("abc", 9, 0)
        screen.fill(ScreenRect(column: -1, row: -1, columns: 9, rows: 1), with: ScreenCell(character: "x"))
        expectEqual(screen.text, "\n  a")
    }

    @Test func `only changed cells are sent`() {
        var old = Screen(columns: 4, rows: 2)
        old.write("abcd", 0, 0, .text)
        var new = old
        new.write("XY", 1, 0, Color(1, 2, 3), on: Color(4, 5, 6))
        let bytes = ScreenDiff.bytes(from: old, to: new)
        expectEqual(
            String(decoding: bytes, as: UTF8.self), "\u{1B}[1;2H\u{1B}[38;2;1;2;3m\u{1B}[48;2;4;5;6mXY\u{1B}[0m")
        expect(ScreenDiff.bytes(from: new, to: new).isEmpty)
    }

    @Test func `cells of a picture are not written`() {
        var new = Screen(columns: 2, rows: 1)
        new[0, 0].picture = 1
        let bytes = ScreenDiff.bytes(from: nil, to: new)
        expect(String(decoding: bytes.suffix(17 + 4), as: UTF8.self).hasSuffix("m \u{1B}[0m"))
        expect(!bytes.starts(with: ScreenDiff.move(0, 0)))
        expectEqual(new.text, "#")
    }

    @Test(arguments: 1...20) func `a terminal that gets the differences shows the screen`(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var terminal = EmulatedTerminal(columns: 11, rows: 5)
        var shown: Screen?
        for _ in 0..<20 {
            var next = shown ?? Screen(columns: 11, rows: 5)
            for _ in 0..<Int.random(in: 0..<9, using: &random) {
                let cell = ScreenCell(
                    character: ["a", " ", "▀"].randomElement(using: &random)!,
                    foreground: [.text, .alarm].randomElement(using: &random)!,
                    background: [.tile, .accent].randomElement(using: &random)!)
                next.put(cell, Int.random(in: 0..<11, using: &random), Int.random(in: 0..<5, using: &random))
            }
            terminal.feed(ScreenDiff.bytes(from: shown, to: next))
            expectEqual(terminal.screen, next)
            shown = next
        }
    }
}
