// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct CredentialTests {
    private static func request(_ url: URL, _ credential: HTTPCredential?) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        request.options.credential = credential
        return request
    }

    @Test func `a credential is sent to its origin and to no other`() async throws {
        let other = try OriginServer.byHand { $0.respond() }
        defer { other.stop() }
        try await withOrigin { exchange in
            exchange.respond(302, [exchange.path == "/a" ? "Location: /b" : "Location: \(other.url("/c"))"])
        } _: { origin, client in
            _ = try await client.send(Self.request(origin.url("/a"), .basic(user: "Aladdin", password: "open sesame")))
            let sent = origin.requests.map { $0.headers["Authorization"] }
            expectEqual(sent, ["Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
            expectEqual(other.requests.map { $0.headers["Authorization"] }, [nil])
        }
    }

    @Test func `a credential that would be read as something else, or is one of two, is refused`() async throws {
        let client = HTTPClient()
        let url = URL(string: "http://a.example/")!
        let credentials: [HTTPCredential] = [
            .basic(user: "a:b", password: ""), .basic(user: "a", password: "b\r\nX: y"), .bearer(""), .bearer("a b"),
            .bearer("a\r\nX: y"), .bearer("=a"), .bearer("ä"),
        ]
        for (row, credential) in credentials.enumerated() {
            await expectHTTPError(.invalidRequest, "row \(row)") {
                try await client.send(Self.request(url, credential))
            }
        }
        var request = Self.request(url, .bearer("a"))
        request.headers["authorization"] = "Basic x"
        await expectHTTPError(.invalidRequest) { try await client.send(request) }
        await client.shutdown()
    }

    @Test func `no text of a credential has its secret`() {
        for credential in [HTTPCredential.basic(user: "me", password: "hush"), .bearer("hush")] {
            var dumped = ""
            dump(credential, to: &dumped)
            var options = HTTPRequest.Options()
            options.credential = credential
            let texts = ["\(credential)", String(reflecting: credential), dumped, "\(options)"]
            expectEqual(texts.filter { $0.contains("hush") }, [])
        }
    }

    @Test func `a challenge is answered once by the program and the request is sent again`() async throws {
        let asked = Journal<HTTPChallenge>()
        var configuration = HTTPClient.Configuration.loopback
        configuration.authenticator = { challenge in
            asked.write(challenge)
            return .bearer("right")
        }
        try await withOrigin(configuration) { exchange in
            let isRight = exchange.headers["Authorization"] == "Bearer right"
            exchange.respond(isRight ? 200 : 401, ["WWW-Authenticate: Bearer realm=\"r\""], body: exchange.body)
        } _: { origin, client in
            let request = HTTPRequest(url: origin.url("/"), method: "POST", body: [1, 2])
            let response = try await client.send(request).collected(upTo: 2)
            expectEqual(response.status, 200)
            expectEqual(response.bytes, [1, 2])
            expectEqual(asked.entries.map(\.schemes), [["bearer"]])
            expectEqual(asked.entries.map(\.refusedCount), [0])
            expectEqual(origin.requestCount, 2)
            // The answer is in the place of a credential that signs.
            let key = HTTPCredential.s3(keyID: "a", secret: "b", region: "c")
            try await expectEqual(client.send(Self.request(origin.url("/key"), key)).status, 200)
            let signed = origin.requests.suffix(2).map { $0.headers.contains(name: "x-amz-content-sha256") }
            expectEqual(signed, [true, false])
        }
    }

    @Test func `an origin that never accepts gets a few credentials and then its refusal is the response`() async throws
    {
        let asked = Journal<HTTPChallenge>()
        var configuration = HTTPClient.Configuration.loopback
        configuration.authenticator = { challenge in
            asked.write(challenge)
            return challenge.url.path() == "/same" ? .bearer("own") : .bearer("try\(asked.entries.count)")
        }
        try await withOrigin(configuration) {
            $0.respond(401, ["WWW-Authenticate: Negotiate, Basic", "WWW-Authenticate: Bearer a=b"])
        } _: { origin, client in
            let response = try await client.send(Self.request(origin.url("/"), .bearer("own")))
            expectEqual(response.status, 401)
            expectEqual(origin.requestCount, 3)
            expectEqual(asked.entries.map(\.refusedCount), [1, 2])
            expectEqual(asked.entries.first?.schemes, ["negotiate", "bearer"])
            // The one that was refused is not sent again.
            _ = try await client.send(Self.request(origin.url("/same"), .bearer("own")))
            expectEqual(origin.requestCount(for: "/same"), 1)
        }
    }

    @Test func `without an answer the refusal is the response and an error of the program is thrown`() async throws {
        struct Refused: Error {}
        var configuration = HTTPClient.Configuration.loopback
        configuration.authenticator = { if $0.url.path() == "/throw" { throw Refused() } else { nil } }
        try await withOrigin(configuration, handler: { $0.respond(401) }) { origin, client in
            let response = try await client.get(origin.url("/"))
            expectEqual(response.status, 401)
            await #expect(throws: Refused.self) { _ = try await client.get(origin.url("/throw")) }
        }
    }

    @Test func `a proxy gets its credential and the origin does not`() async throws {
        let proxy = try OriginServer.byHand { exchange in
            let isKnown = exchange.headers["Proxy-Authorization"] == "Bearer proxy"
            exchange.respond(isKnown ? 200 : 407, ["Proxy-Authenticate: Bearer"])
        }
        defer { proxy.stop() }
        var configuration = HTTPClient.Configuration()
        configuration.proxy = proxy.url("/")
        let url = URL(string: "http://far.example/")!
        let plain = HTTPClient(configuration: configuration)
        let refused = try await plain.get(url)
        expectEqual(refused.status, 407)
        await plain.shutdown()
        configuration.authenticator = { $0.isFromProxy && $0.refusedCount == 0 ? .bearer("proxy") : nil }
        let asking = HTTPClient(configuration: configuration)
        let answered = try await asking.get(url)
        expectEqual(answered.status, 200)
        await asking.shutdown()
        // A proxy that never accepts gets a few credentials, and then its refusal is the response.
        configuration.authenticator = { .bearer("try\($0.refusedCount)") }
        let stubborn = HTTPClient(configuration: configuration)
        let before = proxy.requestCount
        try await expectEqual(stubborn.get(url).status, 407)
        expectEqual(proxy.requestCount, before + 4)
        await stubborn.shutdown()
        configuration.authenticator = nil
        configuration.proxyCredential = .bearer("proxy")
        let knowing = HTTPClient(configuration: configuration)
        let count = proxy.requestCount
        let accepted = try await knowing.get(url)
        expectEqual(accepted.status, 200)
        expectEqual(proxy.requestCount, count + 1)
        await knowing.shutdown()
    }
}
