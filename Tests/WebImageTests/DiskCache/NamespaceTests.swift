// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebImage

/// The folders of programs that do not name one.
struct NamespaceTests {
    private func folder(_ namespace: String, _ environment: [String: String], home: String? = nil) -> String {
        DiskCache.Configuration.folder(namespace: namespace, environment: { environment[$0] }, home: home)
    }

    @Test func `the folder follows the XDG rules, and is the program's own unless that names a namespace`() {
        // The folder follows the XDG rules and has the name of the namespace.
        expectEqual(folder("app", ["XDG_CACHE_HOME": "/x", "HOME": "/h"]), "/x/swift-web-image/app")
        expectEqual(folder("app", ["XDG_CACHE_HOME": "x", "HOME": "/h"]), "/h/.cache/swift-web-image/app")
        expectEqual(folder("app", [:], home: "/home/u"), "/home/u/.cache/swift-web-image/app")
        expectEqual(folder("app", [:]), "./.cache/swift-web-image/app")

        // A program has a folder of its own, unless it names a namespace.
        let name = ProcessEnvironment.programName
        expectAll(!name.isEmpty, !name.contains("/"))
        expectEqual(DiskCache.Configuration().folder, DiskCache.Configuration(namespace: name).folder)
        expect(DiskCache.Configuration().folder != DiskCache.Configuration(namespace: "family").folder)
        expect(DiskCache.Configuration(namespace: "family").folder.hasSuffix("/swift-web-image/family"))
    }

    /// A namespace, and the name of its folder.
    private static let names: [(String, String)] = [
        ("photos-2_b.v1", "photos-2_b.v1"), ("", "+"), (".", "%2e"), ("..", "%2e."), ("../../etc", "%2e.%2f..%2fetc"),
        ("/", "%2f"), ("a\0b", "a%00b"), ("a%2eb", "a%252eb"), ("+", "%2b"), ("ü", "%c3%bc"), ("a b", "a%20b"),
    ]

    @Test func `no namespace leads out of the folder, and long ones fit into a file system and differ`() {
        for (namespace, expected) in Self.names {
            expectEqual(DiskCache.Configuration.folderName(namespace), expected, "\(namespace)")
        }
        let names = ["a", "b"].map { String(repeating: "/", count: 5_000) + $0 }
        let folders = names.map { DiskCache.Configuration.folderName($0) }
        expect(folders.allSatisfy { $0.utf8.count <= 130 })
        expect(folders[0] != folders[1])
        let longest = String(repeating: "x", count: 120)
        expectEqual(DiskCache.Configuration.folderName(longest), longest)
        expect(DiskCache.Configuration.folderName(longest + "x").utf8.count, <=, 130)
    }
}
