// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// What origins do wrong, and the one error that each of it gives.
@Suite(.timeLimit(.minutes(10)))
struct FailureTests {
    /// Sends and reads to the end.
    private static func code(
        _ configuration: HTTPClient.Configuration = .loopback, _ handler: @escaping @Sendable (TestExchange) -> Void
    ) async throws -> HTTPError.Code? {
        var code: HTTPError.Code?
        try await withOrigin(configuration, handler: handler) { origin, client in
            let error = await #expect(throws: HTTPError.self) {
                let response = try await client.send(HTTPRequest(url: origin.url("/")))
                for try await _ in response.body {}
            }
            expectEqual(error?.url, origin.url("/"))
            expectEqual(error?.message.isEmpty, false)
            code = error?.code
        }
        return code
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", HTTPError.Code.truncatedBody),
        ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", .truncatedBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .truncatedBody),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\nabc", .truncatedBody),
        ("", .connectionLost),
        ("garbage\r\n\r\n", .invalidResponse),
        ("\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}", .invalidResponse),
        ("HTTP/9.9 200 OK\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nabc", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\nabc", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nBad Name: 1\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", .invalidResponse),
        ("HTTP/1.1 200 OK\r\nA\rB: 2\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/2 200200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/2 -200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 200200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/2 099 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
        ("HTTP/2 00200 OK\r\nContent-Length: 0\r\n\r\n", .invalidResponse),
    ])
    func `Broken answers give one typed error`(_ bytes: String, _ expected: HTTPError.Code) async throws {
        let code = try await Self.code {
            $0.write(bytes)
            $0.close()
        }
        expectEqual(code, expected)
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX: 1\r\n", "HTTP/1.1 20"])
    func `A head that breaks off gives an error`(_ bytes: String) async throws {
        let code = try await Self.code {
            $0.write(bytes)
            $0.close()
        }
        #expect(code == .connectionLost || code == .invalidResponse)
    }

    @Test func `A reset before the answer is a lost connection`() async throws {
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
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            var iterator = response.body.makeAsyncIterator()
            try await expectEqual(iterator.next(), Array("abc".utf8))
            read.open()
            let error = await #expect(throws: HTTPError.self) { _ = try await iterator.next() }
            #expect(error?.code == .connectionLost || error?.code == .truncatedBody)
            try await expectNil(iterator.next())
        }
    }

    @Test func `A closed port is a refused connection`() async throws {
        let origin = try OriginServer.start()
        origin.stop()
        let client = HTTPClient(configuration: .loopback)
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(url: origin.url("/")))
        }
        expectEqual(error?.code, .cannotConnect)
        await client.shutdown()
    }

    @Test func `An unknown host does not resolve`() async throws {
        let client = HTTPClient()
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(url: try #require(URL(string: "http://nowhere.invalid/"))))
        }
        expectEqual(error?.code, .cannotResolveHost)
        await client.shutdown()
    }

    @Test func `Plain text on a TLS port is a failed handshake`() async throws {
        var greeting = OriginServer.Configuration()
        greeting.greeting = Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)
        let text = try OriginServer.start(configuration: greeting)
        defer { text.stop() }
        let client = HTTPClient(configuration: .loopback)
        let error = await #expect(throws: HTTPError.self) {
            _ = try await client.send(HTTPRequest(url: try #require(URL(string: "https://127.0.0.1:\(text.port)/"))))
        }
        expectEqual(error?.code, .tlsFailed)
        await client.shutdown()
    }

    @Test(arguments: [" A: 1", "\tA: 1", " "])
    func `A continued line before the first field does not touch earlier responses`(line: String) async throws {
        try await withOrigin { exchange in
            if exchange.path == "/good" { return exchange.respond(body: [1]) }
            exchange.write("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n")
            exchange.close()
        } _: { origin, client in
            // libcurl before 8.1 writes the line into freed memory when the handle has had a response before.
            for _ in 0..<100 {
                let bytes = try await client.bytes(HTTPRequest(url: origin.url("/good")))
                expectEqual(bytes, [1])
                let error = await #expect(throws: HTTPError.self) {
                    _ = try await client.send(HTTPRequest(url: origin.url("/bad")))
                }
                expectEqual(error?.code, .invalidResponse)
            }
        }
    }

    @Test func `A continued line of blanks does not end the head`() async throws {
        try await withOrigin { exchange in
            exchange.write("HTTP/1.1 200 OK\r\nA: 1\r\n \r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n")
        } _: { origin, client in
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            expectEqual(response.headers["Content-Type"], "text/plain")
        }
    }

    @Test func `The client goes on working after every failure`() async throws {
        try await withOrigin { exchange in
            if exchange.path == "/good" { return exchange.respond(body: [1]) }
            exchange.write("garbage\r\n\r\n")
            exchange.close()
        } _: { origin, client in
            for _ in 0..<20 {
                await #expect(throws: HTTPError.self) {
                    _ = try await client.send(HTTPRequest(url: origin.url("/bad")))
                }
                let bytes = try await client.send(HTTPRequest(url: origin.url("/good"))).body.collect(upTo: 1)
                expectEqual(bytes, [1])
            }
            await expectEqual(client.transferCount, 0)
        }
    }
}
