// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport
@testable import WebImage

/// Requests that libcurl signs, as an origin sees them.
@Suite(.timeLimit(.minutes(10))) struct SigningTests {
    private let check = SignatureCheck()

    private func credential(token: String? = nil) -> HTTPCredential {
        .s3(keyID: check.keyID, secret: check.secret, region: check.region, sessionToken: token)
    }

    private func request(
        _ url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: [UInt8]? = nil, token: String? = nil
    ) -> HTTPRequest {
        var request = HTTPRequest(url: url, method: method, headers: headers, body: body)
        request.options.credential = credential(token: token)
        return request
    }

    /// Sends requests, in order, and returns what has come to the origin.
    private func requests(
        _ make: (OriginServer) -> [HTTPRequest], proxy: Bool = false, reply: OriginReply = .ok([1])
    ) async throws -> [OriginRequest] {
        try await withOriginServer { origin in
            origin.respondToEverything { _ in reply }
            var configuration = HTTPClient.Configuration()
            configuration.addressPolicy = .unrestricted
            if proxy { configuration.proxy = origin.url("/") }
            let client = HTTPClient(configuration: configuration)
            for request in make(origin) { _ = try await client.send(request).body.collect(upTo: 1_000) }
            await client.shutdown()
            return origin.requests
        }
    }

    /// The examples of "Authenticating Requests: Using the Authorization Header".
    @Test func `the signatures are those of the published examples`() async throws {
        let base = "http://examplebucket.s3.amazonaws.com"
        let key = HTTPCredential.s3(
            keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", region: "us-east-1")
        let examples: [(String, HTTPHeaders)] = [("/test.txt", ["Range": "bytes=0-9"]), ("/?max-keys=2&prefix=J", [:])]
        let sent = try await requests(
            { _ in
                examples.map { path, headers in
                    var request = HTTPRequest(url: URL(string: base + path) ?? URL(filePath: "/"), headers: headers)
                    request.headers["x-amz-date"] = "20130524T000000Z"
                    request.options.credential = key
                    return request
                }
            }, proxy: true)
        let signatures = sent.map { $0.headers["Authorization"]?.split(separator: "Signature=").last.map(String.init) }
        expectEqual(
            signatures,
            [
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            ])
        var amazon = SignatureCheck()
        (amazon.keyID, amazon.secret) = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        amazon.now = nil
        expectEqual(sent.map(amazon.fault), [nil, nil], "the check of these tests finds the same")
        amazon.secret += "."
        expectEqual(sent.map(amazon.fault), ["SignatureDoesNotMatch", "SignatureDoesNotMatch"])
    }

    @Test func `method, path, query, fields and content of any size are signed`() async throws {
        let large = [UInt8](repeating: 7, count: 900_000)
        let digest = SignatureCheck.hexadecimal(SignatureCheck.sha256(large))
        let sent = try await requests { origin in
            [
                request(origin.url("/b/%C3%A4/b%20c%2Bd%3De~f%20%281%29%2A%27%21")),
                request(
                    origin.url("/b/a"), method: "HEAD", headers: ["If-None-Match": "\"1\"", "x-amz-meta-a": "b  c"]),
                request(origin.url("/b?list-type=2&prefix=a%2F")),
                request(origin.url("/b/a"), method: "PUT", body: [1, 2, 3]),
                request(origin.url("/b/a"), method: "PUT", body: []),
                request(
                    origin.url("/b/a"), method: "PUT",
                    headers: ["x-amz-content-sha256": digest, "Content-Type": "a/b"],
                    body: large),
                request(origin.url("/b/a"), method: "DELETE"),
            ]
        }
        expectEqual(sent.map(check.fault), Array(repeating: nil, count: 7))
        expectEqual(sent[3].body, [1, 2, 3])
        expectEqual(sent[3].headers["Content-Type"], "application/octet-stream")
        expectEqual(sent[3].headers["x-amz-content-sha256"], "UNSIGNED-PAYLOAD")
        expectEqual(sent[5].body, large)
        expectEqual(sent.map { $0.headers["Accept-Encoding"] }, Array(repeating: nil, count: 7))
    }

    @Test func `a session token is sent and signed`() async throws {
        let token = "IQoJb3JpZ2luX2Vj//////////wEaCXVzLWVhc3QtMSJ="
        let sent = try await requests { [request($0.url("/b/a"), token: token)] }
        var check = check
        check.sessionToken = token
        expectEqual(sent.map(check.fault), [nil])
    }

    @Test func `a redirect is signed again for its origin, and for another one nothing of the key is sent`()
        async throws
    {
        try await withOriginServer { other in
            try await withOriginServer { origin in
                other.respondToEverything { _ in .ok([1]) }
                origin.redirect(along: ["/b/a", "/b/c", other.url("/b/d").absoluteString])
                var configuration = HTTPClient.Configuration()
                configuration.addressPolicy = .unrestricted
                let client = HTTPClient(configuration: configuration)
                _ = try await client.send(request(origin.url("/b/a"), token: "token")).body.collect(upTo: 9)
                await client.shutdown()
                var check = check
                check.sessionToken = "token"
                expectEqual(origin.requests.map(\.path), ["/b/a", "/b/c"])
                expectEqual(origin.requests.map(check.fault), [nil, nil])
                let fields = other.requests.flatMap { $0.headers.map { $0.name.lowercased() } }
                expectEqual(Set(fields), ["host", "user-agent", "accept", "accept-encoding"])
            }
        }
    }

    @Test func `a request that cannot be signed as it would be read is refused before it is sent`() async throws {
        let url = URL(string: "http://127.0.0.1:1/b/a")!
        let credentials: [HTTPCredential] = [
            .s3(keyID: "", secret: "s", region: "r"), .s3(keyID: "a/b", secret: "s", region: "r"),
            .s3(keyID: "a", secret: "s\r\nX: y", region: "r"), .s3(keyID: "a", secret: "", region: "r"),
            .s3(keyID: "a", secret: "s", region: "r:s"), .s3(keyID: "a", secret: "s", region: ""),
            .s3(keyID: "a", secret: "s", region: "r", sessionToken: "t\r\nX: y"),
            .s3(keyID: "a,b", secret: "s", region: "r"), .s3(keyID: "a b", secret: "s", region: "r"),
        ]
        var refused = credentials.map { credential in
            var request = HTTPRequest(url: url)
            request.options.credential = credential
            return request
        }
        refused.append(request(url, headers: ["X-Empty": " "]))
        refused.append(request(url, headers: ["Authorization": "Basic x"]))
        refused.append(request(URL(string: "http://127.0.0.1:1/b?prefix=a&list-type=2")!))
        refused.append(request(URL(string: "http://127.0.0.1:1/b?lifecycle")!))
        var configuration = HTTPClient.Configuration()
        configuration.addressPolicy = .unrestricted
        let client = HTTPClient(configuration: configuration)
        for request in refused {
            let error = await expectError(HTTPError.self) { try await client.send(request) }
            expectEqual(error?.code, .invalidRequest)
        }
        await client.shutdown()
    }

    @Test func `a key of S3 answers no challenge, and a challenge takes its place`() async throws {
        expectError(HTTPError.self) { try credential().fieldValue() }
        try await withOriginServer { origin in
            origin.respondToEverything { $0.headers["Authorization"] == "Bearer right" ? .ok([1]) : .status(401) }
            var configuration = HTTPClient.Configuration()
            configuration.addressPolicy = .unrestricted
            configuration.authenticator = { _ in .bearer("right") }
            let client = HTTPClient(configuration: configuration)
            let response = try await client.send(request(origin.url("/b/a"), token: "token"))
            expectEqual(response.status, 200)
            expectEqual(origin.requests.map { $0.headers["x-amz-security-token"] }, ["token", nil])
            _ = try await response.body.collect(upTo: 9)
            await client.shutdown()
        }
    }

    @Test func `no text has the secret, and another secret is another picture`() throws {
        let other = HTTPCredential.s3(keyID: check.keyID, secret: "other", region: check.region)
        var request = HTTPRequest(url: URL(string: "https://a.example/b")!)
        request.options.credential = credential(token: "hush")
        var dumped = ""
        dump(request, to: &dumped)
        let texts = [
            "\(credential(token: "hush"))", String(reflecting: credential(token: "hush")), dumped, "\(request)",
        ]
        expectEqual(texts.filter { $0.contains("hush") || $0.contains(check.secret) }, [])
        var (one, two) = (ImageRequest(request.url), ImageRequest(request.url))
        one.transfer.credential = credential()
        two.transfer.credential = other
        expect(one.transferKey != two.transferKey)
        expect(RequestIdentity(one) != RequestIdentity(two))
        two.transfer.credential = credential()
        expectEqual(one.transferKey, two.transferKey)
        expectEqual(RequestIdentity(one), RequestIdentity(two))
        expect(!one.transferKey.rawValue.contains(check.secret))
    }
}
