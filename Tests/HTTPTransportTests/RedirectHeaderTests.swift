// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Which fields a redirect takes along.
@Suite(.timeLimit(.minutes(1)))
struct RedirectHeaderTests {
    /// One of each kind.
    private static let headers: HTTPHeaders = [
        "Authorization": "a", "Cookie": "b", "Cookie2": "c", "Proxy-Authorization": "d", "X-API-Key": "e",
        "X-Custom-Token": "f", "Referer": "g", "Origin": "h", "From": "i", "accept": "j", "User-Agent": "k",
        "Range": "bytes=0-1", "If-None-Match": "l", "Content-Type": "m", "Content-Language": "n",
        "Content-Encoding": "o", "Content-Location": "p", "Accept-Language": "q", "Accept-Encoding": "r",
        "Cache-Control": "s", "If-Match": "t", "If-Modified-Since": "u", "If-Range": "v", "If-Unmodified-Since": "w",
        "Pragma": "x",
    ]
    private static let forwarded: Set<String> = [
        "accept", "User-Agent", "Range", "If-None-Match", "Content-Type", "Content-Language", "Content-Encoding",
        "Accept-Language", "Accept-Encoding", "Cache-Control", "If-Match", "If-Modified-Since", "If-Range",
        "If-Unmodified-Since", "Pragma",
    ]

    /// Which of the fields arrive, with their values, where a redirect leads to.
    private static func arriving(
        _ status: Int, sameOrigin: Bool = false, method: String = "PUT",
        _ configuration: HTTPClient.Configuration = .loopback
    ) async throws -> Set<String> {
        let answer: @Sendable (TestExchange) -> Void = { exchange in
            let names = headers.filter { exchange.headers[$0.name] == $0.value }.map(\.name)
            exchange.respond(200, ["X-Seen: \(names.joined(separator: ","))"])
        }
        let target = try OriginServer.byHand(answer)
        defer { target.stop() }
        var names: Set<String> = []
        try await withOrigin(configuration) { exchange in
            if exchange.path == "/end" { return answer(exchange) }
            exchange.respond(status, ["Location: " + (sameOrigin ? "/end" : target.url("/end").absoluteString)])
        } _: { origin, client in
            let body: [UInt8]? = method == "PUT" ? [1] : nil
            let request = HTTPRequest(url: origin.url("/"), method: method, headers: headers, body: body)
            let field = try await client.send(request).headers["X-Seen"] ?? ""
            names = Set(field.split(separator: ",").map(String.init))
        }
        return names
    }

    @Test func `another origin gets what describes request and content, and no custom field`() async throws {
        let content: Set = ["Content-Type", "Content-Language", "Content-Encoding"]
        for status in [307, 308] { try await expectEqual(Self.arriving(status), Self.forwarded, "\(status)") }
        // A GET in place of a PUT says nothing about a content.
        for status in [301, 302, 303] {
            try await expectEqual(Self.arriving(status), Self.forwarded.subtracting(content), "\(status)")
            try await expectEqual(Self.arriving(status, method: "GET"), Self.forwarded, "\(status)")
        }
        // A field that is named passes, a credential never does.
        var naming = HTTPClient.Configuration.loopback
        naming.headersForOtherOrigins = ["x-custom-TOKEN", "Authorization", "Cookie", "Cookie2", "Proxy-Authorization"]
        for status in [302, 303, 307, 308] {
            try await expectEqual(Self.arriving(status, method: "GET", naming), ["X-Custom-Token"], "\(status)")
        }
    }

    @Test func `the same origin gets every field, but those about a content that is gone`() async throws {
        let all = Set(Self.headers.map(\.name))
        let content: Set = ["Content-Type", "Content-Language", "Content-Encoding", "Content-Location"]
        for status in [301, 302, 303, 307, 308] {
            let expected = status < 307 ? all.subtracting(content) : all
            try await expectEqual(Self.arriving(status, sameOrigin: true), expected, "\(status)")
        }
    }

    @Test func `credentials and own cookies do not come back with a redirect that comes back`() async throws {
        try await withOrigin {
            $0.respond(200)
        } _: { first, client in
            let second = try OriginServer.byHand { $0.respond(302, ["Location: \(first.url("/back"))"]) }
            let start = try OriginServer.byHand { $0.respond(302, ["Location: \(second.url("/"))"]) }
            defer {
                second.stop()
                start.stop()
            }
            var request = HTTPRequest(url: start.url("/"), headers: ["Authorization": "a"])
            request.options.cookies.values = ["b": "1"]
            _ = try await client.send(request)
            let requests = start.requests + second.requests + first.requests
            expectEqual(requests.map { $0.headers["Authorization"] }, ["a", nil, nil])
            expectEqual(requests.map { $0.headers["Cookie"] }, ["b=1", nil, nil])
        }
    }

    @Test func `a POST that a 303 sends to the same address is no circle`() async throws {
        try await withOrigin { exchange in
            if exchange.method == "POST" { return exchange.respond(303, ["Location: \(exchange.path)"]) }
            exchange.respond(body: [1])
        } _: { origin, client in
            let request = HTTPRequest(url: origin.url("/form"), method: "POST", body: [2])
            let bytes = try await client.send(request).body.collect(upTo: 1)
            expectEqual(bytes, [1])
        }
    }
}
