// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import fetch

struct JobTests {
    @Test func `a list has a URL on each line, and may have comments, blanks, any line ends and any bytes`() {
        let list = "\u{FEFF}http://a/\r\n\n  http://b/ \t\r# http://c/\n   # d\nhttp://e/"
        for (bytes, expected) in [
            (Array(list.utf8), ["http://a/", "http://b/", "http://e/"]), (Array("http://a/".utf8), ["http://a/"]),
            ([], []), (Array("\n\r\n".utf8), []),
            ([0xFF, 0xFE, 0x0A, 0x00, 0x0A, 0xC3], ["\u{FFFD}\u{FFFD}", "\0", "\u{FFFD}"]),
        ] as [([UInt8], [String])] {
            expectEqual(Job.urls(in: bytes), expected, "\(bytes)")
        }
    }

    @Test
    func `equal URLs are one job, in the order of their first mention, and those that only look the same are two`() {
        let jobs = Job.merging(["b", "a", "b", "b", "c", "a"])
        expectEqual(jobs.map(\.text), ["b", "a", "c"])
        expectEqual(jobs.map(\.count), [3, 2, 1])
        expectEqual(Job.merging(["http://a/\u{E9}", "http://a/e\u{301}"]).map(\.count), [1, 1])
        // So are files of one name in two folders.
        expectEqual(LocalPicture.file("a.png").key(URL(filePath: "/b/a.png")), "/b/a.png")
    }

    @Test func `an input that cannot be read, or has no URL, is named with the reason`() {
        var options = Options()
        for (input, reason) in [("/nowhere", "No such file"), ("/", "Is a directory"), ("/dev/zero", "more than")] {
            options.inputs = [input]
            let message = expectError(UsageError.self, "\(input)") { try Job.list(options) }?.message ?? ""
            expect(message.contains(reason) && message.contains(input), "\(message)")
        }
        // An error, and not a demonstration.
        options.inputs = ["/dev/null"]
        expectError(UsageError.self) { try Job.list(options) }
    }
}
