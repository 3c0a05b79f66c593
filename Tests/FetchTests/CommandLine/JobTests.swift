// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import fetch

struct JobTests {
    @Test func `a list has a URL on each line and may have comments, blanks and any line ends`() {
        let list = "\u{FEFF}http://a/\r\n\n  http://b/ \t\r# http://c/\n   # d\nhttp://e/"
        expectEqual(Job.urls(in: Array(list.utf8)), ["http://a/", "http://b/", "http://e/"])
    }

    @Test func `a list without a line end, or without anything, is fine`() {
        expectEqual(Job.urls(in: Array("http://a/".utf8)), ["http://a/"])
        #expect(Job.urls(in: []).isEmpty)
        #expect(Job.urls(in: Array("\n\r\n".utf8)).isEmpty)
    }

    @Test func `bytes that are not text stay one line each`() {
        expectEqual(Job.urls(in: [0xFF, 0xFE, 0x0A, 0x00, 0x0A, 0xC3]), ["\u{FFFD}\u{FFFD}", "\0", "\u{FFFD}"])
    }

    @Test func `equal URLs are one job, in the order of their first mention`() {
        let jobs = Job.merging(["b", "a", "b", "b", "c", "a"])
        expectEqual(jobs.map(\.text), ["b", "a", "c"])
        expectEqual(jobs.map(\.count), [3, 2, 1])
    }

    @Test func `URLs that only look the same are two jobs`() {
        expectEqual(Job.merging(["http://a/\u{E9}", "http://a/e\u{301}"]).map(\.count), [1, 1])
    }

    @Test func `an input that cannot be read is named with the reason`() throws {
        for (input, reason) in [("/nowhere", "No such file"), ("/", "Is a directory"), ("/dev/zero", "more than")] {
            var options = Options()
            options.inputs = [input]
            let error = #expect(throws: UsageError.self) { try Job.list(options) }
            #expect(try #require(error).message.contains(reason))
            #expect(try #require(error).message.contains(input))
        }
    }

    @Test func `an input without a URL is an error, not a demonstration`() {
        var options = Options()
        options.inputs = ["/dev/null"]
        #expect(throws: UsageError.self) { try Job.list(options) }
    }
}
