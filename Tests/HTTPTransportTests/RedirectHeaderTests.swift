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
        "Content-Encoding": "o", "Content-Location": "p", "Accept-Language": "q",
    ]
    private static let forwarded: Set<String> = [
        "accept", "User-Agent", "Range", "If-None-Match", "Content-Type", "Content-Language", "Content-Encoding",
        "Accept-Language",
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

    @Test(arguments: [307, 308]) func `another origin gets what describes request and content, and no custom field`(
        _ status: Int
    ) async throws {
        try await expectEqual(Self.arriving(status), Self.forwarded)
    }

    @Test(arguments: [301, 302, 303], ["PUT", "GET"]) func `a GET at another origin says nothing about a content`(
        _ status: Int, _ method: String
    ) async throws {
        let content: Set = ["Content-Type", "Content-Language", "Content-Encoding"]
        let expected = method == "PUT" ? Self.forwarded.subtracting(content) : Self.forwarded
        try await expectEqual(Self.arriving(status, method: method), expected)
    }

    @Test(arguments: [307, 308]) func `the same origin gets every field`(_ status: Int) async throws {
        try await expectEqual(Self.arriving(status, sameOrigin: true), Set(Self.headers.map(\.name)))
    }

    @Test(arguments: [301, 302, 303]) func `fields about a content go with it`(_ status: Int) async throws {
        let content: Set = ["Content-Type", "Content-Language", "Content-Encoding", "Content-Location"]
        let expected = Set(Self.headers.map(\.name)).subtracting(content)
        try await expectEqual(Self.arriving(status, sameOrigin: true), expected)
    }

    @Test(arguments: [302, 303, 307, 308]) func `a field that is named passes, a credential never does`(
        _ status: Int
    ) async throws {
        var configuration = HTTPClient.Configuration.loopback
        configuration.headersForOtherOrigins = [
            "x-custom-TOKEN", "Authorization", "Cookie", "Cookie2", "Proxy-Authorization",
        ]
        try await expectEqual(Self.arriving(status, method: "GET", configuration), ["X-Custom-Token"])
    }

    @Test func `credentials do not come back with a redirect that comes back`() async throws {
        try await withOrigin {
            $0.respond(200, ["X-Seen: " + ($0.headers["Authorization"] ?? "-")])
        } _: { first, client in
            let second = try OriginServer.byHand { $0.respond(302, ["Location: \(first.url("/back"))"]) }
            let start = try OriginServer.byHand { $0.respond(302, ["Location: \(second.url("/"))"]) }
            defer {
                second.stop()
                start.stop()
            }
            let request = HTTPRequest(url: start.url("/"), headers: ["Authorization": "a"])
            let response = try await client.send(request)
            expectEqual(response.headers["X-Seen"], "-")
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
