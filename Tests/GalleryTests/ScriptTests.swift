import Testing

@testable import gallery

struct ScriptTests {
    @Test func `a script consists of words, and a comment is ignored`() throws {
        let script = try Script("# look\nwait g 12 enter\tpagedown*2 q tick:40 size:60x20\r\n")
        #expect(
            script.steps == [
                .wait, .key(.character("g")), .key(.character("1")), .key(.character("2")), .key(.enter),
                .key(.pageDown), .key(.pageDown), .key(.character("q")), .tick(milliseconds: 40),
                .resize(columns: 60, rows: 20),
            ])
    }

    @Test(arguments: ["jump", "down*0", "down*x", "tick:-1", "size:1x1", "size:99999x2", "j*99999 j*99999"])
    func `an unknown word in a script is refused`(_ text: String) {
        #expect(throws: UsageError.self) { try Script(text) }
    }

    @Test(arguments: [
        ["--graphics", "paint"], ["--size", "80"], ["--script"], ["--png", "a.png"], ["--what"], ["--count", "0"],
    ])
    func `an invalid command line is refused`(_ words: [String]) {
        #expect(throws: UsageError.self) { try Options(parsing: words) }
    }
}
