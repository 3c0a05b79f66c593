// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import fetch

@Suite(.timeLimit(.minutes(10)))
struct VersionTests {
    /// The programs of the package.
    private static let programs: [String] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let manifest = (try? String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)) ?? ""
        return manifest.matches(of: #/\.executable\(name: "([^"]+)"/#).map { String($0.1) }
    }()

    @Test(arguments: programs) func `every program says its name and its version`(name: String) async throws {
        let run = try await Workplace().fetch(["--version"], shell: "exec \"$(dirname \"$0\")/\(name)\" \"$@\"")
        expectEqual(run.output, "\(name) \(Version.number)\n")
        expectEqual(run.errors, "")
        expectEqual(run.status, 0)
    }

    @Test func `the manifest names programs`() { #expect(Self.programs.contains("image-server")) }
}
