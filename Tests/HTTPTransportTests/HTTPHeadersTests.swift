import TestSupport
import Testing

// SPDX-License-Identifier: MIT
@testable import HTTPTransport

struct HTTPHeadersTests {
    @Test func `Names are compared without case and keep theirs`() {
        let headers: HTTPHeaders = ["Content-Type": "image/png", "ETag": "x"]
        expectEqual(headers["content-type"], "image/png")
        expectNil(headers["Missing"])
        expectEqual(headers.map(\.name), ["Content-Type", "ETag"])
        expect(!headers.contains(name: "Content-Typ"))
        expect(!headers.contains(name: "Content_Type"))
    }

    @Test func `Repeated fields are kept in order and joined on demand`() {
        var headers: HTTPHeaders = ["Vary": "a", "Set-Cookie": "1", "vary": "b"]
        headers.append(name: "VARY", value: "c")
        expectEqual(headers["Vary"], "a, b, c")
        expectEqual(headers.values(for: "vary"), ["a", "b", "c"])
        expectEqual(headers.count, 4)
    }

    @Test func `Assigning replaces all fields of a name in the place of the first`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        headers["a"] = "9"
        #expect(headers.map(\.name) == ["A", "B", "C"] || headers.map(\.name) == ["a", "B", "C"])
        expectEqual(headers["A"], "9")
        headers["b"] = nil
        expectEqual(headers.map(\.value), ["9", "4"])
        headers["D"] = "5"
        expectEqual(headers.map(\.value), ["9", "4", "5"])
    }

    @Test func `Equality ignores the case of names only`() {
        let left: HTTPHeaders = ["A": "x"]
        expectEqual(left, ["a": "x"])
        #expect(left != ["a": "X"])
        expectEqual(left.hashValue, (["a": "x"] as HTTPHeaders).hashValue)
    }

    @Test func `names are compared without case everywhere`() {
        var headers: HTTPHeaders = ["ETag": "1", "eTAG": "2"]
        #expect(headers.contains(name: "etag") && headers.contains(name: "ETAG"))
        expect(!headers.contains(name: "etags"))
        expectEqual(headers["etag"], "1, 2")
        expectEqual(headers.values(for: "ETAG"), ["1", "2"])
        headers.removeAll(named: "etag")
        #expect(headers.isEmpty)
    }
}
