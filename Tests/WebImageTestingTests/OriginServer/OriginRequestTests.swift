// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

/// The head of a request in chunks.
private let chunks = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
private let longText = String(repeating: "x", count: 40_000)

@Suite(.timeLimit(.minutes(10)))
struct OriginRequestTests {
    private func answer(
        _ request: String, configure: (inout OriginServer.Configuration) -> Void = { _ in }
    ) throws -> (status: String, requests: [OriginRequest], refused: Int) {
        var configuration = OriginServer.Configuration()
        configure(&configuration)
        let origin = try OriginServer.start(configuration: configuration)
        defer { origin.stop() }
        origin.respondToEverything { _ in OriginReply.text("fine").closing() }
        // A small buffer, so that a large request is still being sent when it is refused.
        let client = try RawClient(origin, sendBuffer: 4096)
        try client.send(request)
        let (text, end) = client.readToEnd()
        expectEqual(end, .endOfStream)
        return (String(text.dropFirst(9).prefix(3)), origin.requests, origin.refusedRequests)
    }

    @Test
    func `a request is recorded as it was received, a chunked body joined, and the recorded part is bounded`() throws {
        // A request is recorded as it was received.
        let (status, requests, refused) = try answer(
            "PUT /a%20b?x=1&y HTTP/1.1\r\nhOST: h\r\nX-Two: 1\r\nx-two:\t2 \r\nContent-Length: 3\r\n\r\nabc")
        expectEqual(status, "200")
        expectEqual(refused, 0)
        let request = try required(requests.first)
        expectEqual(request.method, "PUT")
        expectEqual(request.target, "/a%20b?x=1&y")
        expectEqual(request.path, "/a%20b")
        expectEqual(request.query, "x=1&y")
        expectEqual(request.headers["Host"], "h")
        expectEqual(request.headers.values(for: "x-TWO"), ["1", "2"])
        expectEqual(request.headers.map(\.name), ["hOST", "X-Two", "x-two", "Content-Length"])
        expectEqual(request.body, Array("abc".utf8))
        expectEqual(request.connection, 1)

        // The target of a proxy request has a path.
        do {
            let requests = try answer("GET http://a.example:80/b?c HTTP/1.1\r\nHost: a.example\r\n\r\n").requests
            expectEqual(requests.first?.target, "http://a.example:80/b?c")
            expectEqual(requests.first?.path, "/b")
            expectEqual(requests.first?.query, "c")
            try expectEqual(answer("GET http://a.example HTTP/1.1\r\nHost: a\r\n\r\n").requests.first?.path, "/")
            let bare = try answer("GET http://a.example?b=/c HTTP/1.1\r\nHost: a\r\n\r\n").requests.first
            expectEqual([bare?.path, bare?.query], ["/", "b=/c"])
            let inner = try answer("GET /r/http://b/c HTTP/1.1\r\nHost: a\r\n\r\n").requests.first
            expectEqual(inner?.path, "/r/http://b/c")
        }

        // A chunked body is joined, and the recorded part is bounded.
        do {
            let chunks = "5;x=y\r\nhello\r\nA\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
            let (status, requests, _) = try answer(
                "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks
            ) { $0.maximumRecordedBodyByteCount = 7 }
            expectEqual(status, "200")
            expectEqual(requests.first?.body, Array("hello01".utf8))
            expectEqual(requests.first?.bodyByteCount, 15)
        }
    }

    @Test func `the server sends 100 Continue, takes an empty line, and refuses before the request is read`() throws {
        // The server sends 100 Continue to a client that waits for it.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            origin.respondToEverything { OriginReply(body: $0.body) }
            let client = try RawClient(origin)
            try client.send("POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            expectEqual(client.readHead(), "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("hi")
            expectEqual(client.readHead(), "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
            expectEqual(client.read(exactly: 2), "hi")
            // Without a body there is nothing to wait for.
            try client.get("/b", "Expect: 100-continue")
            expectEqual(client.readHead(), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }

        // The end of the connection is one option among others.
        do {
            let origin = try OriginServer.start()
            defer { origin.stop() }
            let client = try RawClient(origin)
            try client.get("/a", "Connection: keep-alive, Close")
            expectEqual(client.readToEnd().end, .endOfStream)
        }

        // An empty line before a request is accepted.
        try expectEqual(answer("\r\nGET /a HTTP/1.1\r\nHost: a\r\n\r\n").status, "200")

        // A refusal arrives although the rest of the request was not read.
        let body = String(repeating: "x", count: 3_000_000)
        let (status, _, _) = try answer(
            "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n" + body
        ) { $0.maximumBodyByteCount = 10 }
        expectEqual(status, "413")
    }

    @Test(arguments: [
        "GET /a HTTP/1.1\nHost: a\n\n", "GET /a HTTP/1.1\r\nHost: a\n\r\n", "GET  /a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a\r\nHost: a\r\n\r\n", "G(T /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\u{e4} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /a HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost : a\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nX: \u{0}\r\n\r\n", "GET /a HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", "GET /a XXXX/1.1\r\nHost: a\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
        chunks + "1;" + longText + "\r\na\r\n0\r\n\r\n",
    ])
    func `a request that breaks the rules gets 400`(request: String) throws {
        let (status, requests, refused) = try answer(request)
        expectEqual(status, "400")
        expectEmpty(requests)
        expectEqual(refused, 1)
    }

    @Test(arguments: [
        ("GET /a HTTP/2.0\r\nHost: a\r\n\r\n", "505"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nExpect: cake\r\n\r\n", "417"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", "413"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", "413"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n123456789\r\n2\r\n12\r\n", "413"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", "413"),
        ("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", "413"),
        ("GET /\(String(repeating: "a", count: 500)) HTTP/1.1\r\nHost: a\r\n\r\n", "431"),
        ("GET /a HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X: y\r\n", count: 100), "431"),
        (chunks + "0\r\n" + String(repeating: "X: y\r\n", count: 100) + "\r\n", "431"),
        (String(repeating: "\r\n", count: 150) + "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "431"),
    ])
    func `a request beyond a limit is refused with its status`(request: String, expected: String) throws {
        let (status, requests, refused) = try answer(request) {
            $0.maximumHeadByteCount = 300
            $0.maximumBodyByteCount = 10
        }
        expectEqual(status, expected)
        expectEmpty(requests)
        expectEqual(refused, 1)
    }
}
