// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// How values become queries, forms, JSON, property lists and parts.
struct RequestContentTests {
    private struct Filter: Codable, Sendable {
        var name = "a b&c=d"
        var sizes = ["small", "ä"]
        var nested = ["x": ["y": true, "n": false]]
        var count = UInt64.max
        var offset = -3
        var ratio = 0.5
        var nothing: [String?] = [nil]
    }

    private let url = URL(string: "https://a.example/find?old=1#part")!

    @Test func `a query has nested names, escapes what has a meaning, and refuses a value without members`() throws {
        let query = try HTTPQuery(encoding: Filter())
        expectEqual(
            query.escaped,
            "count=18446744073709551615&name=a%20b%26c%3Dd&nested%5Bx%5D%5Bn%5D=0&nested%5Bx%5D%5By%5D=1"
                + "&nothing%5B%5D&offset=-3&ratio=0.5&sizes%5B%5D=small&sizes%5B%5D=%C3%A4")
        let request = try HTTPRequest(url: url, query: HTTPQuery([.init("q", "a/b?c#d+é-._~"), .init("flag", nil)]))
        expectEqual(request.url.absoluteString, "https://a.example/find?old=1&q=a/b?c%23d%2B%C3%A9-._~&flag#part")
        expectEqual(request.method, "GET")
        try expectEqual(HTTPRequest(url: url, query: HTTPQuery()).url, url)
        let asking = try HTTPRequest(
            url: URL(string: "https://a.example/#is?this")!, query: HTTPQuery([.init("a", "1")]))
        expectEqual(asking.url.absoluteString, "https://a.example/?a=1#is?this")
        let plain = URL(string: "https://a.example/find")!
        let extended = try HTTPRequest(url: plain, method: "DELETE", query: HTTPQuery([.init("a", "")]))
        expectEqual(extended.url.absoluteString, "https://a.example/find?a=")
        let bare = try HTTPRequest(url: plain, method: "OPTIONS", query: HTTPQuery())
        expectEqual([extended.method, bare.method], ["DELETE", "OPTIONS"])
        let number = expectError(HTTPError.self) { try HTTPQuery(encoding: 5) }
        expectEqual(number?.code, .invalidRequest)
        let infinite = expectError(HTTPError.self) { try HTTPQuery(encoding: ["a": Double.infinity]) }
        expectEqual(infinite?.code, .invalidRequest)
    }

    @Test func `a value becomes a form JSON or a property list with its type`() throws {
        let form = HTTPRequest(url: url, form: HTTPQuery([.init("a b", "c&d")]))
        expectEqual(form.headers["Content-Type"], "application/x-www-form-urlencoded")
        expectEqual(form.body, Array("a%20b=c%26d".utf8))
        let put = HTTPRequest(url: url, method: "PUT", form: HTTPQuery([.init("a", "b")]))
        expectEqual([form.method, put.method], ["POST", "PUT"])
        let json = try HTTPRequest(url: url, method: "PATCH", json: ["a": 1])
        expectEqual(json.headers["Content-Type"], "application/json")
        expectEqual(json.body, Array(#"{"a":1}"#.utf8))
        expectEqual(json.method, "PATCH")
        let list = try HTTPRequest(url: url, method: "PUT", propertyList: ["a": 1])
        expectEqual([list.method, list.headers["Content-Type"]], ["PUT", "application/x-plist"])
        let bytes = try required(list.body)
        try expectEqual(PropertyListDecoder().decode([String: Int].self, from: Data(bytes)), ["a": 1])
        let error = expectError(HTTPError.self) { try HTTPRequest(url: url, json: [Double.nan]) }
        expectEqual(error?.code, .invalidRequest)
    }

    @Test func `body and content replace each other`() {
        var request = HTTPRequest(url: url, method: "PUT", body: [1])
        expectEqual(request.content, .bytes([1]))
        request.content = .file(at: "/a")
        expectNil(request.body)
        expect(request.hasContent)
        var other = HTTPRequest(url: url, method: "PUT")
        expect(request != other)
        other.content = .file(at: "/a")
        expectEqual(request, other)
        request.body = [2]
        expectEqual(request.content, .bytes([2]))
        let filled = HTTPRequest(url: url, body: [UInt8](repeating: 0, count: 10_000))
        expect(HeapSize.of(filled) - HeapSize.of(HTTPRequest(url: url)), >=, 10_000)
        request.content = nil
        expect(!request.hasContent)
        let stream = HTTPContent.stream { HTTPBody([[1]]) }
        expectEqual(stream, stream)
        expect(stream != .stream { HTTPBody([[1]]) })
    }

    @Test func `names cannot break out of their part`() throws {
        var form = MultipartForm(boundary: "B")
        form.append("text", name: "a\"\r\nX: y")
        form.append([1], name: "f", filename: "a\"b\r\n\r\n.png", type: "image/png")
        let expected = """
            --B\r
            Content-Disposition: form-data; name="a%22%0D%0AX: y"\r
            \r
            text\r
            --B\r
            Content-Disposition: form-data; name="f"; filename="a%22b%0D%0A%0D%0A.png"\r
            Content-Type: image/png\r
            \r
            \u{1}\r
            --B--\r

            """
        guard case .parts(let parts) = try form.content().source else { return }
        let bytes = parts.flatMap { if case .bytes(let bytes) = $0 { bytes } else { [] as [UInt8] } }
        expectEqual(String(decoding: bytes, as: UTF8.self), expected)
        var files = MultipartForm(boundary: "B")
        files.append(fileAt: "/a/b.png", name: "h", filename: "c.png")
        files.append(fileAt: "/", name: "i")
        guard case .parts(let pieces) = try files.content().source else { return }
        let heads = pieces.compactMap { piece -> String? in
            if case .bytes(let bytes) = piece { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
        let end = "\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        expectEqual(heads.map { $0.hasSuffix("filename=\"c.png" + end) }, [true, false, false, false, false])
        expectEqual(heads.map { $0.hasSuffix("filename=\"file" + end) }, [false, false, true, false, false])
        form.append([], name: "g", type: "image/png\r\nX: y")
        form.append([], name: "h", type: "image/png")
        let error = expectError(HTTPError.self) { try form.content() }
        expectEqual(error?.code, .invalidRequest)
        expect(MultipartForm().contentType != MultipartForm().contentType)
    }
}
