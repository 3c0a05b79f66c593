// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct ResponseCheckTests {
    @Test func `a set of codes has what its ranges have`() {
        let set = HTTPStatusSet(200...299, 400...404).union([304, 5_000, -1]).subtracting([403])
        let codes = [199, 200, 299, 300, 304, 400, 403, 404, 405, -1, 5_000, Int.max, Int.min]
        expectEqual(codes.filter { set.contains($0) }, [200, 299, 304, 400, 404])
        expectEqual(set.description, "200-299, 304, 400-402, 404")
        expectEqual(HTTPStatusSet(100...Int.max, Int.min ... -5), HTTPStatusSet(100...999))
        expectEqual(HTTPStatusSet(200...210, 211...299), .success)
    }

    @Test(arguments: [
        ("image/jpeg", true), ("IMAGE/JPEG; charset=x", true), (" image/Png ;q", true), ("text/html", true),
        ("text/htmlx", false), ("image", false), ("", false), (nil, false), ("application/vnd.api+json", true),
        ("application/json", false), ("a+json/b", false), ("a/b+c+json", true), ("text / html", true),
    ])
    func `content types are compared without case and without parameters`(_ field: String?, _ expected: Bool) {
        let types: HTTPContentTypes = ["Image/*", "Text/HTML; charset=utf-8", "*/*+json"]
        expectEqual(types.contains(field), expected)
        expect(HTTPContentTypes(["*/*"]).contains(field))
    }

    @Test func `a status that is not acceptable is an error with the response`() async throws {
        try await withOrigin { exchange in
            let status = Int(exchange.path.dropFirst()) ?? 0
            exchange.respond(status, ["X-Reason: no"], body: Array("because".utf8))
        } _: { origin, client in
            var request = HTTPRequest(url: origin.url("/404"))
            let plain = try await client.send(request)
            expectEqual(plain.status, 404)
            request.options.acceptableStatuses = .success
            let error = await expectHTTPError(.unacceptableStatus) { try await client.send(request) }
            expectEqual(error?.message, "The origin answered with status 404; 200-299 would be accepted.")
            expectEqual(error?.status, 404)
            expectEqual(error?.url, request.url)
            expectEqual(error?.response?.status, 404)
            expectEqual(error?.response?.headers["X-Reason"], "no")
            expectEqual(error?.response?.url, request.url)
            expectEqual(error?.response?.beginning, Array("because".utf8))
            request.options.acceptableStatuses = [404]
            let accepted = try await client.bytes(request)
            expectEqual(accepted, Array("because".utf8))
            // What a condition asked for is an answer.
            var conditional = HTTPRequest(url: origin.url("/304"), headers: ["If-None-Match": "\"a\""])
            conditional.options.acceptableStatuses = .success
            conditional.options.acceptableContentTypes = .images
            let unchanged = try await client.send(conditional)
            expectEqual(unchanged.status, 304)
        }
    }

    @Test func `the client's set applies to requests without one`() async throws {
        var configuration = HTTPClient.Configuration.loopback
        configuration.acceptableStatuses = [200]
        configuration.acceptableContentTypes = ["IMAGE/jpeg"]
        try await withOrigin(configuration) { exchange in
            exchange.respond(exchange.path == "/201" ? 201 : 200, ["Content-Type: Image/Jpeg; a=b"], body: [1])
        } _: { origin, client in
            let bytes = try await client.bytes(HTTPRequest(url: origin.url("/")))
            expectEqual(bytes, [1])
            var request = HTTPRequest(url: origin.url("/201"))
            await expectHTTPError(.unacceptableStatus) { try await client.send(request) }
            request.options.acceptableStatuses = .all
            request.options.acceptableContentTypes = .json
            let type = await expectHTTPError(.unacceptableContentType) { try await client.send(request) }
            expectEqual(type?.response?.beginning, [1])
        }
    }

    @Test func `a check that fails ends the transfer of a held response, too, and keeps 4 KiB of its body`()
        async throws
    {
        let closed = (long: Gate(), held: Gate())
        var configuration = HTTPClient.Configuration.loopback
        // No other limit ends the transfer.
        (configuration.idleTimeout, configuration.totalTimeout) = (.seconds(4_000), .seconds(4_000))
        try await withOrigin(configuration) { exchange in
            exchange.write("HTTP/1.1 500 X\r\nContent-Length: 1000000\r\n\r\n")
            if exchange.path == "/long" { exchange.write([UInt8](repeating: 65, count: 100_000)) }
            exchange.waitForClose()
            exchange.path == "/long" ? closed.long.open() : closed.held.open()
        } _: { origin, client in
            var request = HTTPRequest(url: origin.url("/long"))
            request.options.acceptableStatuses = .success
            let error = await expectHTTPError { try await client.send(request) }
            expect(error?.response?.beginning.count ?? .max <= 4_096)
            await closed.long.pass()
            let response = try await client.get(origin.url("/held"))
            expectError(HTTPError.self) { try response.checked(for: request) }
            await closed.held.pass()
            withExtendedLifetime(response) {}
        }
    }

    @Test func `other loaders check in the same way`() async throws {
        let url = URL(string: "data:text/plain,a")!
        var request = HTTPRequest(url: url)
        request.options.acceptableContentTypes = .images
        let loaders: [any HTTPLoading] = [
            DataURLLoader(), BytesLoader([url: .init([1], type: "text/plain")]),
            ClosureLoader { HTTPResponse(status: 200, url: $0.url, body: HTTPBody([[1]])) },
        ]
        for loader in loaders {
            await expectHTTPError(.unacceptableContentType) { try await loader.send(request) }
        }
        // A response without content has no type.
        let stream = HTTPBody(AsyncStream<[UInt8]> { nil })
        for response in [HTTPResponse(status: 200, url: url), HTTPResponse(status: 204, url: url, body: stream)] {
            try expectEqual(response.checked(for: request).status, response.status)
        }
        // A 304 is an answer to a condition of either kind, and to nothing else.
        request.options.acceptableStatuses = .success
        let unchanged = HTTPResponse(status: 304, url: url)
        expectError(HTTPError.self) { try unchanged.checked(for: request) }
        for name in ["If-None-Match", "If-Modified-Since"] {
            request.headers = [name: "x"]
            try expectEqual(unchanged.checked(for: request).status, 304)
        }
    }

    @Test func `measurements are whole when the body has ended`() async throws {
        try await withOrigin { exchange in
            if exchange.path == "/a" { return exchange.respond(302, ["Location: /b"]) }
            exchange.respond(body: [1, 2, 3])
        } _: { origin, client in
            let request = HTTPRequest(url: origin.url("/a"), method: "POST", body: Array("four".utf8))
            let response = try await client.send(request).collected(upTo: 3)
            expectEqual(response.bytes, [1, 2, 3])
            expectEqual(response.url, origin.url("/b"))
            expect(response.metrics.total != nil)
            expectEqual(response.metrics.bytesReceived, 3)
            expectEqual(response.metrics.redirectCount, 1)
            expect(response.metrics.reusedConnection)
            expectEqual(response.metrics.httpVersion, "1.1")
            expectEqual(response.metrics.remoteAddress, "127.0.0.1")
            var direct = request
            direct.url = origin.url("/b")
            let sent = try await client.send(direct).collected(upTo: 3)
            expectEqual(sent.metrics.bytesSent, 4)
        }
    }
}
