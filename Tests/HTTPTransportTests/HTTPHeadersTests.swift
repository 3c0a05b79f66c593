// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import HTTPTransport

struct HTTPHeadersTests {
    @Test func `names are compared without case everywhere, and keep theirs`() {
        let headers: HTTPHeaders = ["Content-Type": "image/png", "ETag": "x"]
        expectEqual(headers["content-type"], "image/png")
        expectNil(headers["Missing"])
        expectEqual(headers.map(\.name), ["Content-Type", "ETag"])
        expect(!headers.contains(name: "Content-Typ"))
        expect(!headers.contains(name: "Content_Type"))
        let left: HTTPHeaders = ["A": "x"]
        expectEqual(left, ["a": "x"])
        expect(left != ["a": "X"])
        expect(["A": "\u{E9}"] as HTTPHeaders != ["A": "e\u{301}"])
        expectEqual(left.hashValue, (["a": "x"] as HTTPHeaders).hashValue)
        var twice: HTTPHeaders = ["ETag": "1", "eTAG": "2"]
        expect(twice.contains(name: "etag"))
        expect(twice.contains(name: "ETAG"))
        expect(!twice.contains(name: "etags"))
        expectEqual(twice["etag"], "1, 2")
        expectEqual(twice.values(for: "ETAG"), ["1", "2"])
        twice.removeAll(named: "etag")
        expect(twice.isEmpty)
    }

    @Test func `repeated fields keep their order, and assigning replaces them in the place of the first`() {
        var repeated: HTTPHeaders = ["Vary": "a", "Set-Cookie": "1", "vary": "b"]
        repeated.append(name: "VARY", value: "c")
        expectEqual(repeated["Vary"], "a, b, c")
        expectEqual(repeated.values(for: "vary"), ["a", "b", "c"])
        expectEqual(repeated.count, 4)
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        headers["a"] = "9"
        expect(headers.map(\.name) == ["A", "B", "C"] || headers.map(\.name) == ["a", "B", "C"])
        expectEqual(headers["A"], "9")
        headers["b"] = nil
        expectEqual(headers.map(\.value), ["9", "4"])
        headers["D"] = "5"
        expectEqual(headers.map(\.value), ["9", "4", "5"])
    }
}
