// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import ImageServer

/// What the command says: its help, its manual page, its completions, and what is wrong with an option.
@Suite struct CommandTextTests {
    @Test func `the help, the manual page and every shell have each option`() throws {
        let texts = try [["--help"], ["--completions", "zsh"], ["--completions=fish"]].map {
            try Settings.text($0) ?? ""
        }
        for setting in Setting.everything {
            expect(texts[0].contains("  \(setting.flag) "), "\(setting.name)")
            expect(texts[1].contains("    \(setting.flag)"), "\(setting.name)")
            expect(texts[2].contains(" -l \(setting.name) "), "\(setting.name)")
        }
        for text in texts.dropFirst() {
            expect(text.replacing(#"'\''"#, with: "").count { $0 == "'" }.isMultiple(of: 2), "a quote is open")
        }
        expectNil(try Settings.text(["sign", "w320", "https://example.com/a.jpg"]))
        try expectEqual(Settings.text(["-h"]), texts[0])
        try expectEqual(Settings.text(["--version"]), "image-server \(Version.number)")
        try expectEqual(Settings.text(["--man"]), ManualPage.text)
        for words in [["--completions"], ["--completions", "sh"]] {
            let error = expectError(SettingsError.self) { try Settings.text(words) }
            expectEqual(error?.message, "--completions takes bash, zsh or fish.")
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
    func `the formatter has nothing to say about the manual page`() throws {
        let plain = try output(of: "groff -man -Tascii -ww -P-c", ManualPage.text).replacing(/.\u{8}/, with: "")
        expect(!plain.contains("warning") && !plain.contains("error:"), "\(plain.prefix(500))")
        for setting in Setting.everything { expect(plain.contains(setting.flag)) }
        expect(plain.contains("image-server sign w320,h240,fill https://example.com/photo.jpg"))
    }

    @Test(arguments: [
        ("--page", ["--page"]), ("--errors p", ["picture", "problem"]), ("--errors = pi", ["picture"]), ("s", ["sign"]),
        ("--port ", []), ("--cache /us", ["/usr"]), ("--cache /etc/passw", []),
        ("--fallback /etc/passw", ["/etc/passwd"]),
        ("--completions ", ["bash", "fish", "zsh"]),
    ])
    func `bash completes options and their values`(words: String, expected: [String]) throws {
        let script = """
            \(Shell.bash.completions)
            COMP_WORDS=(image-server \(words.hasSuffix(" ") ? words + "''" : words))
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _image_server; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let replies = try output(of: "bash -u", script).split(separator: "\n").map(String.init)
        expectEqual(replies.filter { !$0.hasPrefix("/etc/passwd-") }.sorted(), expected)
    }

    @Test(arguments: [
        ("width320", "is written w320"), ("width=320", "is written w320"), ("WIDTH:320", "is written w320"),
        ("320x240", "is written w320,h240"), ("320", "is written w320"), ("height240", "is written h240"),
        ("q=80", "is written q80"), ("quality_80", "is written q80"), ("format=webp", "is written webp"),
        ("format:jpg", "is written jpeg"), ("jpg", "is written jpeg"), ("WebP", "is written webp"),
        ("fit=cover", "is written fill"), ("crop", "is written fill"), ("background=#ffffff", "is written bgffffff"),
        ("g=north", "takes two numbers"), ("gravity=north", "is written top"), ("avif", "is no format here"),
        ("f_avif", "is no format here"), ("exp1893456000", "is the end of an address; it comes last"),
        ("wide", "is unknown"),
        ("w9000", "takes a number from 1 to 8192"), ("w=9000", "takes a number from 1 to 8192"), ("xx", "is unknown"),
        ("0x0", "is unknown"), ("", "is unknown"),
    ])
    func `an option in other words is told as it is written here`(word: String, part: String) throws {
        let error = try required(expectError(AddressError.self) { try PictureOptions("\(word),q1") })
        expectEqual(error.status, 400)
        expect(error.detail.hasPrefix("The option \"\(word)\" \(part)"), "\(error.detail)")
    }

    private func output(of command: String, _ input: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "text-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "\(command) <'\(file.path)' 2>&1"]
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }
}
