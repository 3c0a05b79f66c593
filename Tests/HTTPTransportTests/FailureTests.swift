// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// What origins do wrong, and the one error that each of it gives.
@Suite(.timeLimit(.minutes(10)))
struct FailureTests {
    @Test func `an error that learns its place keeps everything else`() {
        let url = URL(string: "http://a.example/")!
        var error = HTTPError(code: .certificateExpired, message: "a", advice: "b", cause: CancellationError())
        error.peerCertificates = [[1]]
        let placed = error.at(url, 9)
        expectAll(placed.code == .certificateExpired, placed.summary == "a", placed.advice == "b", placed.url == url)
        expectEqual(placed.description, "certificateExpired: a b [status 9] [http://a.example/]")
        expectEqual(error.description, "certificateExpired: a b")
        expectAll(placed.status == 9, placed.cause is CancellationError, placed.peerCertificates == [[1]])
    }

    /// Sends and reads to the end.
    private static func code(
        _ configuration: HTTPClient.Configuration = .loopback, _ handler: @escaping @Sendable (TestExchange) -> Void
    ) async throws -> HTTPError.Code? {
        var code: HTTPError.Code?
        try await withOrigin(configuration, handler: handler) { origin, client in
            let error = await expectHTTPError {
                let response = try await client.get(origin.url("/"))
                for try await _ in response.body {}
            }
            expectEqual(error?.url, origin.url("/"))
            expectEqual(error?.message.isEmpty, false)
            code = error?.code
        }
        return code
    }

    private static let broken: [(answer: String, codes: [HTTPError.Code])] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", [.truncatedBody]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", [.truncatedBody]),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", [.truncatedBody]),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nabc", [.truncatedBody]),
        ("", [.connectionLost]),
        ("garbage\r\n\r\n", [.invalidResponse]),
        ("\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}", [.invalidResponse]),
        ("HTTP/9.9 200 OK\r\n\r\n", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\nabc", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nBad Name: 1\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", [.invalidResponse]),
        ("HTTP/1.1 200 OK\r\nA\rB: 2\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/2 200200 OK\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/2 -200 OK\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/1.1 200200 OK\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/2 099 OK\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        ("HTTP/2 00200 OK\r\nContent-Length: 0\r\n\r\n", [.invalidResponse]),
        // Heads that break off.
        ("HTTP/1.1 200 OK\r\n", [.connectionLost, .invalidResponse]),
        ("HTTP/1.1 200 OK\r\nX: 1\r\n", [.connectionLost, .invalidResponse]),
        ("HTTP/1.1 20", [.connectionLost, .invalidResponse]),
    ]

    @Test func `a broken answer gives one typed error`() async throws {
        for (answer, codes) in Self.broken {
            let code = try await Self.code {
                $0.write(answer)
                $0.close()
            }
            expect(code.map(codes.contains) == true, "\(String(describing: code)) for \(answer)")
        }
        // A reset before the answer is a lost connection.
        try await expectEqual(Self.code { $0.reset() }, .connectionLost)
    }

    @Test func `A reset within the body is an error after the bytes that arrived`() async throws {
        let read = OriginGate()
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            // The rest of the test decides when: a reset may overtake bytes that were not read yet.
            exchange.wire.hold(at: read)
            exchange.reset()
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            var iterator = response.body.makeAsyncIterator()
            try await expectEqual(iterator.next(), Array("abc".utf8))
            read.open()
            let error = await expectHTTPError { try await iterator.next() }
            expect(error?.code == .connectionLost || error?.code == .truncatedBody)
            try await expectNil(iterator.next())
        }
    }

    @Test func `what has no connection has an error that says why`() async throws {
        let closed = try OriginServer.start()
        closed.stop()
        var greeting = OriginServer.Configuration()
        greeting.greeting = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        let text = try OriginServer.start(configuration: greeting)
        defer { text.stop() }
        let client = HTTPClient(configuration: .loopback)
        let rows: [(url: String, code: HTTPError.Code)] = [
            (closed.url("/").absoluteString, .cannotConnect),
            // Nothing listens there: being refused shows that the address was understood and allowed.
            ("http://[::1]:1/", .cannotConnect), ("http://nowhere.invalid/", .cannotResolveHost),
            ("http://bücher.invalid/", .cannotResolveHost),
            // Plain text on a TLS port.
            ("https://127.0.0.1:\(text.port)/", .tlsFailed),
        ]
        for (url, code) in rows {
            let request = HTTPRequest(url: try required(URL(string: url)))
            await expectHTTPError(code, "\(url)") { try await client.send(request) }
        }
        await client.shutdown()
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n A: 1", "HTTP/1.1 200 OK\r\n\tA: 1", "HTTP/1.1 200 OK\r\n ", "garbage"])
    func `a broken head touches neither earlier responses nor later ones`(head: String) async throws {
        try await withOrigin { exchange in
            if exchange.path == "/good" { return exchange.respond(body: [1]) }
            exchange.write("\(head)\r\nContent-Length: 0\r\n\r\n")
            exchange.close()
        } _: { origin, client in
            // libcurl before 8.1 writes a continued line before the first field into freed memory when the handle has
            // had a response before.
            for _ in 0..<100 {
                let bytes = try await client.bytes(HTTPRequest(url: origin.url("/good")))
                expectEqual(bytes, [1])
                await expectHTTPError(.invalidResponse) { try await client.get(origin.url("/bad")) }
            }
            await expectEqual(client.transferCount, 0)
        }
    }

    @Test func `A continued line of blanks does not end the head`() async throws {
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nA: 1\r\n \r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n")
        } _: { origin, client in
            let response = try await client.get(origin.url("/"))
            expectEqual(response.headers["Content-Type"], "text/plain")
        }
    }
}
