// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import fetch

struct LabelsTests {
    private func labels(_ urls: [String]) -> [String] {
        let labels = Labels(urls)
        return urls.map { labels.label(for: $0) }
    }

    @Test func `the label of one URL is its last part, and labels are what tells URLs apart`() {
        expectEqual(labels(["http://a/b/c.png?x=1"]), ["c.png"])
        expectEqual(labels(["http://a"]), ["a"])
        expectEqual(labels(["http://a/p/1/x.png?w=1", "http://a/p/2/x.png?w=1"]), ["1/x.png", "2/x.png"])
        expectEqual(labels(["http://a/i?id=1&w=5", "http://a/i?id=2&w=5"]), ["i?id=1&w=5", "i?id=2&w=5"])
        expectEqual(labels(["http://a/i?id=1", "http://a/i?id=2", "http://a/j"]), ["i?id=1", "i?id=2", "j"])
        expectEqual(labels(["http://a/x.png", "https://b/x.png"]), ["x.png", "x.png"])
        expectEqual(labels(["", "nonsense"]), ["", "nonsense"])
    }

    @Test func `what all labels begin with gives way first`() {
        let urls = (1...3).map { "http://127.0.0.1:4000\($0)/pictures/0.jpg" }
        let labels = Labels(urls)
        let short = urls.map { labels.label(for: $0).shortened(to: 13, sharing: labels.shared) }
        expectEqual(short, ["..1/pic...jpg", "..2/pic...jpg", "..3/pic...jpg"])
        expectEqual("ab/1.jpg".shortened(to: 13, sharing: 3), "ab/1.jpg")
    }

    @Test(arguments: ["", "a", "abcdefghij", "写真写真写真", "e\u{301}e\u{301}e\u{301}e\u{301}"], 0...12)
    func `a shortened text fits`(text: String, columns: Int) {
        let short = text.shortened(to: columns)
        expect(short.columnCount, <=, columns)
        expect(text.columnCount > columns || short == text)
    }
}
