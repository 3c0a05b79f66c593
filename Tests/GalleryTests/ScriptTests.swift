// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageBinding

@testable import gallery

struct ScriptTests {
    @Test func `a script consists of words, and a comment is ignored`() throws {
        let script = try Script("# look wait\nwait cut g 12 enter\tpagedown*2 q tick:40 size:60x20\r\n")
        expectEqual(
            script.steps,
            [
                .wait, .cut, .key(.character("g")), .key(.character("1")), .key(.character("2")), .key(.enter),
                .key(.pageDown), .key(.pageDown), .key(.character("q")), .tick(milliseconds: 40),
                .resize(columns: 60, rows: 20),
            ])
        let names = "up down left right pageup pagedown home end enter escape backspace wheelup wheeldown"
        let keys: [Key] = [
            .up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .enter, .escape, .backspace, .wheelUp,
            .wheelDown,
        ]
        try expectEqual(Script(names).steps, keys.map { .key($0) })
    }

    @Test func `an unknown word in a script or a command line is refused`() {
        for text in [
            "jump", "down*0", "down*x", "tick:-1", "size:1x1", "size:99999x2", "size:2x99999", "j*99999 j*99999",
        ] {
            expectError(UsageError.self, "\(text)") { try Script(text) }
        }
        for words in [
            ["--graphics", "paint"], ["--size", "80"], ["--script"], ["--png", "a.png"], ["--what"], ["--count", "0"],
            ["--gif", "a.gif"], ["--cast", "a.cast"], ["--gif"], ["--script", "a", "--timing", "--gif", "a.gif"],
            ["--graphics", "eighths"], ["--script", "a", "--timing", "--cast", "a.cast"], ["--size", "80x24"],
            ["--picture-size", "16x8001"], ["--count", "65537"],
        ] {
            expectError(UsageError.self, "\(words)") { try Options(parsing: words) }
        }
    }

    @Test func `every option is in the help`() throws {
        let options = try Options(parsing: [
            "--live", "--script", "a", "--gif", "b", "--cast", "c", "--png", "d", "--size", "80x24", "--graphics",
            "octants", "--count", "65536", "--picture-size", "8000x2", "--allow-private", "-h", "http://a/",
        ])
        expectAll(options.allowsPrivate, options.wantsHelp, options.count == 65_536, options.urls == ["http://a/"])
        expectEqual(options.pictureSize, PixelSize(width: 8_000, height: 2))
        expectEqual(options.size, PixelSize(width: 80, height: 24))
        expectAll(options.isLive, options.isRecorded, !options.isTimed)
        expectEqual([options.script, options.gif, options.cast, options.png], ["a", "b", "c", "d"])
        expectEqual(options.graphics, .octants)
        let words = [
            "--live", "--graphics", "--script", "--size", "--png", "--gif", "--cast", "--timing", "--count",
            "--picture-size", "--allow-private", "--help",
        ]
        for word in words { expect(Options.usage.contains("  \(word)")) }
        for graphics in Graphics.allCases { expect(Options.usage.contains(graphics.rawValue)) }
        expect(Options.usage.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}
