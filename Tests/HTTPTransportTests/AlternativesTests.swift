// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

@Suite(.timeLimit(.minutes(1)))
struct AlternativesTests {
    private let stub = StubLoader()
    private let url = URL(string: "http://a.example/x")!

    private func loader(_ others: String...) -> AlternativesLoader {
        let urls = others.map { URL(string: $0)! }
        return AlternativesLoader(stub) { _ in urls }
    }

    @Test func `the next URL is asked while one fails`() async throws {
        stub.respond(to: "/x", with: .failure(.cannotConnect))
        stub.respond(to: "/y", with: .status(503))
        stub.respond(to: "/z", with: .ok([1]))
        let loader = loader("http://a.example/x", "http://b.example/y", "http://c.example/z", "http://d.example/z")
        try await expectEqual(loader.bytes(HTTPRequest(url: url)), [1])
        expectEqual(
            stub.requests.map(\.url.absoluteString),
            [
                "http://a.example/x", "http://b.example/y", "http://c.example/z",
            ])
        let codes: [HTTPError.Code] = [.cannotResolveHost, .connectionLost, .timedOut, .tlsFailed, .circuitOpen]
        let failures = codes.map { StubReply.failure($0) } + [500, 502, 504].map { StubReply.status($0) }
        for (row, failure) in failures.enumerated() {
            stub.respond(to: "/x", with: failure)
            let head = try await self.loader("http://c.example/z").send(HTTPRequest(url: url, method: "HEAD"))
            expectEqual(head.status, 200, "row \(row)")
        }
    }

    @Test func `what is no failure is final, and so are the last failure and the answer to a change`() async throws {
        stub.respond(to: "/x", with: .status(404), .failure(.invalidResponse), .failure(.timedOut))
        stub.respond(to: "/y", with: .status(500))
        let loader = loader("http://b.example/y")
        try await expectEqual(loader.get(url).status, 404)
        await expectHTTPError { try await loader.get(url) }
        expectEqual(stub.requestCount, 2)
        try await expectEqual(loader.get(url).status, 500)
        expectEqual(stub.requestCount, 4)
        // A request that changes something is sent once.
        stub.respond(to: "/x", with: .status(503))
        try await expectEqual(loader.send(HTTPRequest(url: url, method: "POST", body: [1])).status, 503)
        try await expectEqual(loader.send(HTTPRequest(url: url, method: "DELETE")).status, 503)
        expectEqual(stub.requestCount, 6)
    }

    @Test func `credentials stay with their origin`() async throws {
        stub.respond(to: "/x", with: .status(503))
        stub.respond(to: "/y", with: .status(503))
        var request = HTTPRequest(url: url, headers: ["Authorization": "a", "cookie": "b", "Accept": "c"])
        request.options.credential = .bearer("token")
        request.options.cookies.values = ["own": "d"]
        request.options.tls = .system
        request.options.tls?.clientCertificate = .init(certificatePath: "/c", keyPath: "/k")
        _ = try await loader("http://a.example/y", "http://a.example:81/y").send(request)
        expectEqual(stub.requests.map { $0.headers["Authorization"] }, ["a", "a", nil])
        expectEqual(stub.requests.map { $0.headers["Cookie"] }, ["b", "b", nil])
        expectEqual(stub.requests.map { $0.headers["Accept"] }, ["c", "c", "c"])
        expectEqual(stub.requests.map { $0.options.credential != nil }, [true, true, false])
        expectEqual(stub.requests.map { $0.options.cookies.values.count }, [1, 1, 0])
        expectEqual(stub.requests.map { $0.options.tls?.clientCertificate != nil }, [true, true, false])
        expect(stub.requests.allSatisfy { $0.options.tls != nil })
    }

    @Test func `an alternative at the origin of the request has its credentials, also after one elsewhere`()
        async throws
    {
        let status = HTTPError.Response(status: 503, headers: [:], url: url, beginning: [])
        let names = ["Authorization", "Cookie", "Cookie2", "Proxy-Authorization"]
        // A failure is a status, an error, or an error with a status.
        for failure in [
            .status(503), .failure(.timedOut),
            .failure(HTTPError(code: .unacceptableStatus, message: "", response: status)),
        ] as [StubReply] {
            let stub = StubLoader { _, _ in failure }
            var request = HTTPRequest(url: url)
            for name in names { request.headers[name] = "a" }
            let urls = ["http://b.example/x", "https://a.example/x", "http://a.example/y", "http://a.example:80/z"]
            _ = try? await AlternativesLoader(stub) { _ in urls.map { URL(string: $0)! } }.send(request)
            let sent = stub.requests.map { request in names.count { request.headers.contains(name: $0) } }
            expectEqual(sent, [4, 0, 0, 4, 4])
        }
    }

    @Test func `at most eight others are asked, and none with a content`() async throws {
        let stub = StubLoader { _, _ in .status(503) }
        let loader = AlternativesLoader(stub) { _ in (1...20).map { URL(string: "http://a.example/\($0)")! } }
        _ = try await loader.get(url)
        expectEqual(stub.requestCount, 9)
        _ = try await loader.send(HTTPRequest(url: url, body: [1]))
        expectEqual(stub.requestCount, 10)
    }
}
