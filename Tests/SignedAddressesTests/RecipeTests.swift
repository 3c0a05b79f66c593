// SPDX-License-Identifier: MIT
import Foundation
import SignedAddresses
import TestSupport
import Testing

/// The scripts of the guide "Signing in other languages", as they stand there.
@Suite(.timeLimit(.minutes(1))) struct RecipeTests {
    struct Language: Sendable, CustomTestStringConvertible {
        let name: String
        let program: String
        let fileName: String

        var testDescription: String { name }
        var isThere: Bool { RecipeTests.isThere(program) }
    }

    private static let python = Language(name: "python", program: "python3", fileName: "sign.py")
    private static let javaScript = Language(name: "javascript", program: "node", fileName: "sign.mjs")
    private static let shell = Language(name: "sh", program: "sh", fileName: "sign.sh")

    @Test func `Python signs as Swift does`() throws { try compare(Self.python) }

    @Test(.enabled(if: javaScript.isThere, "Node.js is not installed, so the recipe in JavaScript was not run."))
    func `JavaScript signs as Swift does`() throws { try compare(Self.javaScript) }

    @Test(.enabled(if: isThere("openssl"), "The command openssl is not installed, so the recipe in shell was not run."))
    func `the shell signs as Swift does`() throws { try compare(Self.shell) }

    private func compare(_ language: Language) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "recipe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appending(path: language.fileName)
        try recipe(in: language.name).write(to: script, atomically: true, encoding: .utf8)
        for (digits, choices) in [
            (String(repeating: "0f", count: 16), ["w320", "card,exp1893456000"]),
            (String(repeating: "A9e1", count: 64), ["w10,h20,fill,g30:60,bgffffff,dpr1.5"]),
        ] {
            let addresses = SignedAddresses(keys: [try required(SigningKey(hexadecimal: digits))])
            for options in choices {
                for (source, isPlain) in [
                    ("https://example.com/a.jpg?x=1&y='2'", true), ("https://example.com/a.jpg", false),
                    ("https%3A%2F%2Fexample.com%2F%C3%A4%20b.jpg", true),
                    ("http://例え.jp/ä b$HOME`*\"é.png?>>>~~~", false),
                    ("s3://pictures/\(String(repeating: "long/", count: 60))%23", false),
                ] {
                    let words = [script.path, options, source] + (isPlain ? ["plain"] : [])
                    let printed = try run([language.program] + words, key: digits)
                    try expectEqual(printed, addresses.path(options: options, source: source, isPlain: isPlain) + "\n")
                }
            }
        }
    }

    /// The block of the guide that is in a language.
    private func recipe(in language: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let guide = try String(
            contentsOf: root.appending(
                path: "Sources/SignedAddresses/SignedAddresses.docc/SigningInOtherLanguages.md"), encoding: .utf8)
        let blocks = guide.components(separatedBy: "```\(language)\n").dropFirst()
        try #require(blocks.count == 1)
        return try required(blocks.first?.components(separatedBy: "```\n").first)
    }

    private static func isThere(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    private func run(_ words: [String], key: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(["IMAGE_SERVER_KEY": key]) { $1 }
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        expectEqual(process.terminationStatus, 0)
        return String(decoding: bytes, as: UTF8.self)
    }
}
