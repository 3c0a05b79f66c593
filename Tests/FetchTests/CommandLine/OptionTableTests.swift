// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import fetch

/// The help, the manual page and the completions come from one table.
struct OptionTableTests {
    @Test func `no two options share a name, and the help and every shell have all of them`() {
        let names = Option.table.map(\.name) + Option.table.compactMap(\.letter).map(String.init)
        expectEqual(Set(names).count, names.count)
        // The help fits into 80 columns.
        expect(Usage.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        let (zsh, fish) = (Shell.zsh.completions, Shell.fish.completions)
        for option in Option.table {
            expect(Usage.text.contains(option.synopsis), "\(option.name)")
            expect(zsh.contains("--" + option.name), "\(option.name)")
            expect(fish.contains("-l \(option.name) "), "\(option.name)")
        }
        for text in [zsh, fish] {
            expect(text.replacing(#"'\''"#, with: "").count { $0 == "'" }.isMultiple(of: 2), "a quote is open")
        }
    }

    @Test func `the version is that of the newest entry of the change log`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let log = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
        let newest = try required(
            log.split(separator: "\n").first { $0.hasPrefix("## ") && !$0.contains("Unreleased") })
        expect(newest.hasPrefix("## \(Version.number)"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
    func `the formatter has nothing to say about the manual page`() throws {
        let (output, errors) = try run("/usr/bin/groff", ["-man", "-Tascii", "-ww", "-P-c"], input: ManualPage.text)
        expectEqual(errors, "")
        let plain = output.replacing(/.\u{8}/, with: "")
        for option in Option.table { expect(plain.contains("--" + option.name)) }
        expect(plain.contains("fetch --resize 800x --format webp"))
    }

    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")),
        arguments: [
            ("--re", ["--refresh", "--resize", "--retry"]), ("--format w", ["webp"]), ("--format = w", ["webp"]),
            ("--completions ", ["bash", "fish", "zsh"]), ("--quality ", []), ("--out /us", ["/usr"]),
            ("-o /etc/passw", ["/etc/passwd"]),
        ])
    func `bash completes options and their values`(words: String, expected: [String]) throws {
        let script = """
            \(Shell.bash.completions)
            COMP_WORDS=(fetch \(words.hasSuffix(" ") ? words + "''" : words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _fetch; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let (output, errors) = try run("/bin/bash", ["-u"], input: script)
        expectEqual(errors, "")
        expectEqual(
            output.split(separator: "\n").filter { !$0.hasPrefix("/etc/passwd-") }.map(String.init).sorted(), expected)
    }

    private func run(_ program: String, _ arguments: [String], input: String) throws -> (output: String, errors: String)
    {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        let folder = try Workplace()
        let files = try ["in", "out", "err"].map { name in
            let file = folder.folder.appending(path: name)
            try Data((name == "in" ? input : "").utf8).write(to: file)
            return file
        }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return (try String(contentsOf: files[1], encoding: .utf8), try String(contentsOf: files[2], encoding: .utf8))
    }
}
