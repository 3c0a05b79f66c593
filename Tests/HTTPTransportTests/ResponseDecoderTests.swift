// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

struct ResponseDecoderTests {
    private struct Point: Codable, Sendable, Hashable {
        var x: Int
    }

    private func response(_ type: String?, _ bytes: [UInt8], status: Int = 200) throws -> CollectedResponse {
        let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
        return CollectedResponse(status: status, headers: headers, url: URL(string: "http://a/")!, bytes: bytes)
    }

    private func expect<Value>(
        _ code: HTTPError.Code, _ decoder: ResponseDecoder<Value>, _ response: CollectedResponse
    ) -> HTTPError? {
        let error = expectError(HTTPError.self) { try decoder.decode(response) }
        expectEqual(error?.code, code)
        expectEqual(error?.response?.beginning, response.bytes)
        expectEqual(error?.status, response.status)
        expectEqual(error?.url, response.url)
        return error
    }

    @Test func `JSON and property lists become values`() throws {
        let json = try response("Application/JSON; charset=utf-8", Array(#"{"x":3}"#.utf8))
        try expectEqual(ResponseDecoder.json(Point.self).decode(json), Point(x: 3))
        let list = try PropertyListEncoder().encode(Point(x: 4))
        let plist = try response("application/x-plist", Array(list))
        // For origins that are trusted: Foundation's decoder ends the process for a nested list.
        let trusted = ResponseDecoder(types: .propertyLists) { [decoder = PropertyListDecoder()] response in
            try decoder.decode(Point.self, from: Data(response.bytes))
        }
        try expectEqual(trusted.decode(plist), Point(x: 4))
        let damaged = expect(.undecodableBody, ResponseDecoder.json(Point.self), try response("text/json", [0x7B]))
        #expect(damaged?.cause is DecodingError)
        let types = ["application/json", "text/json", "text/javascript", "application/problem+json"]
        expectEqual(types.filter { HTTPContentTypes.json.contains($0) }, types)
        let lists = ["application/x-plist", "application/xml", "text/xml"]
        expectEqual(lists.filter { HTTPContentTypes.propertyLists.contains($0) }, lists)
    }

    @Test func `an error page is never decoded`() throws {
        let page = Array(#"{"x":1}"#.utf8)
        let decoder = ResponseDecoder.json(Point.self)
        _ = expect(.unacceptableStatus, decoder, try response("application/json", page, status: 500))
        _ = expect(.unacceptableContentType, decoder, try response("text/html", page))
        _ = expect(.unacceptableContentType, decoder, try response(nil, page))
        let long = try response("text/html", [UInt8](repeating: 65, count: 5_000))
        let error = expectError(HTTPError.self) { try decoder.decode(long) }
        expectEqual(error?.response?.beginning.count, 4_096)
    }

    @Test func `a decoder of another one's value accepts what that one does, and an error of its own comes through`()
        throws
    {
        let first = ResponseDecoder(statuses: [404], types: ["a/b"]) { $0.bytes.count }
        let decoder = first.map { $0 * 2 }
        try expectEqual(decoder.decode(response("a/b", [1], status: 404)), 2)
        try expectEqual(ResponseDecoder.first(of: [decoder]).decode(response("a/b", [1], status: 404)), 2)
        _ = expect(.unacceptableStatus, decoder, try response("a/b", [1]))
        _ = expect(.unacceptableContentType, decoder, try response("a/c", [1], status: 404))
        let strict = ResponseDecoder<Int> { _ in throw HTTPError(code: .overloaded, message: "later") }
        let error = expectError(HTTPError.self) { try strict.decode(response(nil, [1])) }
        expectEqual(error?.code, .overloaded)
    }

    @Test func `an answer without content is nil where a value may be, and what has one is decoded like any other`()
        throws
    {
        for (type, bytes, status) in [
            (nil, [], 204), (nil, [], 200), ("text/html", [], 205), ("application/json", [], 200),
            ("application/json", [0x20], 200), (nil, [0x20, 0x0A], 200),
        ] as [(String?, [UInt8], Int)] {
            let nothing = try response(type, bytes, status: status)
            try expectNil(ResponseDecoder.json(Point?.self).decode(nothing), "\(type ?? "-") \(bytes) \(status)")
            _ = expect(.undecodableBody, ResponseDecoder.json(Point.self), nothing)
        }
        let decoder = ResponseDecoder.json(Point?.self)
        try expectEqual(decoder.decode(response("application/json", Array(#"{"x":3}"#.utf8))), Point(x: 3))
        try expectNil(decoder.decode(response("application/json", Array("null".utf8))))
        _ = expect(.undecodableBody, decoder, try response("application/json", Array("{".utf8)))
        _ = expect(.unacceptableContentType, decoder, try response("text/html", Array("a".utf8)))
        _ = expect(.unacceptableStatus, decoder, try response(nil, [], status: 404))
    }

    @Test func `text has the charset of its type, and bytes outside of it are an error`() throws {
        for (type, bytes, expected) in [
            ("text/plain", [0x61, 0xC3, 0xA4], "aä"), ("text/plain; charset=ISO-8859-1", [0xE4], "ä"),
            ("text/plain;charset=\"utf-16le\"", [0xE4, 0], "ä"), (nil, [], ""),
            ("text/plain; Charset=utf-16be", [0, 0xE4], "ä"), ("text/plain; a=b; CHARSET = latin1", [0xE4], "ä"),
            ("text/plain; charset=windows-1252", [0xE4], "ä"), ("text/plain; charset=us-ascii", [0x61], "a"),
            ("text/plain; charset=utf-16", [0xFE, 0xFF, 0, 0xE4], "ä"),
            ("text/plain; charset=UTF8", [0xC3, 0xA4], "ä"), ("text/plain; charset=ascii", [0x61], "a"),
        ] as [(String?, [UInt8], String)] {
            try expectEqual(ResponseDecoder.text.decode(response(type, bytes)), expected, "\(type ?? "-")")
        }
        _ = expect(.undecodableBody, .text, try response("text/plain", [0xFF, 0xFE]))
        _ = expect(.undecodableBody, .text, try response("text/plain;charset=klingon", [0x61]))
    }

    @Test func `the first decoder that fits decides`() throws {
        let decoder = ResponseDecoder.first(of: [
            ResponseDecoder.json(Point.self).map { "\($0.x)" }, ResponseDecoder<String>.text.map { "text \($0)" },
        ])
        try expectEqual(decoder.decode(response("application/json", Array(#"{"x":3}"#.utf8))), "3")
        try expectEqual(decoder.decode(response("text/plain", Array("a".utf8))), "text a")
        _ = expect(.unacceptableStatus, decoder, try response("text/plain", [0x61], status: 404))
        _ = expect(.undecodableBody, ResponseDecoder<String>.first(of: []), try response(nil, []))
    }

    @Test func `a loader sends reads and decodes within a limit`() async throws {
        let loader = StubLoader { _, _ in .ok(Array(#"{"x":9}"#.utf8), type: "application/json") }
        let request = HTTPRequest(url: URL(string: "http://a/")!)
        let point = try await loader.value(for: request, as: .json(Point.self), upTo: 7)
        expectEqual(point, Point(x: 9))
        await expectHTTPError(.bodyTooLarge) { try await loader.value(for: request, as: .bytes, upTo: 6) }
        // A decoder of much work looks at cancellation.
        await expectError(CancellationError.self) {
            try await loader.value(for: request, as: ResponseDecoder<Int> { _ in throw CancellationError() })
        }
    }
}
