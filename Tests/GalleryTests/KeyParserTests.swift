// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

struct KeyParserTests {
    private func parse(_ text: String) -> [TerminalInput] {
        var parser = KeyParser()
        return parser.parse(text.utf8)
    }

    @Test(arguments: [
        ("j", Key.character("j")), ("\r", .enter), ("\u{7F}", .backspace), ("\u{3}", .interrupt), ("\u{1A}", .suspend),
        ("\u{C}", .redraw), ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[1;5C", .right), ("\u{1B}[D", .left),
        ("\u{1B}[5~", .pageUp), ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
        ("\u{1B}[<64;3;4M", .wheelUp), ("\u{1B}[<65;3;4M", .wheelDown), ("\n", .enter), ("\u{8}", .backspace),
        ("\u{1B}[1~", .home), ("\u{1B}[7~", .home), ("\u{1B}[8~", .end), ("\u{1B}[F", .end),
    ])
    func `a sequence is its key, in pieces of any size`(_ text: String, _ key: Key) {
        expectEqual(parse(text), [.key(key)])
        var parser = KeyParser()
        var inputs: [TerminalInput] = []
        for byte in text.utf8 { inputs += parser.parse([byte]) }
        expectEqual(inputs, [.key(key)])
        expect(!parser.isInsideSequence)
    }

    @Test func `an escape alone is a key, and truncated and invalid sequences are skipped`() {
        var parser = KeyParser()
        expectEqual(parser.parse([0x1B]), [])
        expect(parser.isInsideSequence)
        expectEqual(parser.flush(), .key(.escape))
        expect(!parser.isInsideSequence)
        expectEqual(parse("\u{1B}\u{1B}[A"), [.key(.escape), .key(.up)])
        // A truncated sequence.
        expectEqual(parser.parse("\u{1B}[1;".utf8), [])
        expectNil(parser.flush())
        expectEqual(parser.parse("q".utf8), [.key(.character("q"))])
        expectEqual(parse("\u{1B}[999999999999999999999A\u{1B}[;;;x\u{1B}[\u{1}j"), [.key(.character("j"))])
        expectEqual(parse("ä\u{1B}[<0;1;1Mj"), [.key(.character("j"))])
        let endless = "\u{1B}_" + String(repeating: "z", count: 100_000) + "\u{1B}\\k"
        expectEqual(parse(endless), [.key(.character("k"))])
        // Of what is too long, the beginning is kept: the rest of it says nothing.
        let padding = String(repeating: "0", count: KeyParser.limit - 1)
        expectEqual(parse("\u{1B}[\(padding)59999~"), [.key(.pageUp)])
        expectEqual(parse("\u{1B}_G\(padding);OK\u{1B}\\"), [.reply(.kitty(isOK: false))])
        expectEqual(parse("\u{1B}_G\u{1B}\u{1B}[A\u{1B}[5;:~"), [.key(.escape), .key(.up)])
    }

    @Test func `answers are distinguished from keys`() {
        expectEqual(parse("\u{1B}[?62;4;22c"), [.reply(.attributes([62, 4, 22]))])
        expectEqual(parse("\u{1B}[6;20;10t"), [.reply(.cellSize(height: 20, width: 10))])
        expectEqual(parse("\u{1B}_Gi=31;OK\u{1B}\\x"), [.reply(.kitty(isOK: true)), .key(.character("x"))])
        expectEqual(parse("\u{1B}_Gi=31;ENOTSUP\u{1B}\\"), [.reply(.kitty(isOK: false))])
        expectEqual(parse("\u{1B}]11;rgb:0/0/0\u{7}y"), [.key(.character("y"))])
        expectEqual(parse("\u{1B}P1+r\u{1B}\\y"), [.key(.character("y"))])
    }

    @Test func `a terminal gets the best graphics that it confirms, or the characters that it is known to have`() {
        let xterm = ["TERM": "xterm-256color"]
        expectEqual(learn(.attributes([4, 6])).best(xterm), .quadrants)
        expectEqual(learn(.attributes([62, 4])).best(xterm), .sixel)
        expectEqual(learn(.kitty(isOK: true), .attributes([62, 4])).best(xterm), .kitty)
        expectEqual(learn(.kitty(isOK: false), .attributes([62])).best(xterm), .quadrants)
        for (environment, graphics) in [
            (["TERM": "linux"], .blocks), (["TERM": "dumb"], .blocks), ([:], .blocks),
            (["TERM": "xterm-ghostty"], .octants), (["TERM": "tmux-256color"], .quadrants),
            (["TERM": "xterm-kitty"], .octants), (["TERM": "xterm-256color", "TERM_PROGRAM": "Ghostty"], .octants),
        ] as [([String: String], Graphics)] {
            expectEqual(learn().best(environment), graphics, "\(environment)")
        }
        // A size of a cell that no terminal has is ignored.
        expectNil(learn(.cellSize(height: 0, width: 90_000)).cell)
        expectEqual(learn(.cellSize(height: 20, width: 9)).cell, PixelSize(width: 9, height: 20))
    }

    private func learn(_ replies: TerminalReply...) -> Capabilities {
        var capabilities = Capabilities()
        for reply in replies {
            let isLast = capabilities.learn(reply)
            if case .attributes = reply { expect(isLast) } else { expect(!isLast) }
        }
        return capabilities
    }
}
