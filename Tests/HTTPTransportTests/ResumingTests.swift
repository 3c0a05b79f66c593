// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// Bodies that break off and go on, from a stub; against a real origin in `ResumingOriginTests`.
@Suite(.timeLimit(.minutes(1)))
struct ResumingTests {
    private let stub = StubLoader()
    private let store = PartialBodyStore()
    private let url = URL(string: "http://a.example/x")!
    private let whole: [UInt8] = Array(0..<100)

    private func loader(_ resumptions: Int = 0) -> ResumingLoader {
        ResumingLoader(stub, store: store, maximumResumptions: resumptions)
    }

    private func ok(tag: String? = "\"v1\"") -> StubReply {
        let reply = StubReply.ok(whole).inChunks(of: 10)
        return tag.map { reply.header("ETag", $0) } ?? reply
    }

    private func rest(from first: Int, tag: String = "\"v1\"", range: String? = nil) -> StubReply {
        let field = range ?? "bytes \(first)-99/100"
        return StubReply.status(206, headers: ["Content-Range": field, "ETag": tag], bytes: Array(whole[first...]))
    }

    /// Reads until the body breaks.
    private func breakOff(_ loader: ResumingLoader) async throws {
        await expectHTTPError { try await loader.bytes(HTTPRequest(url: url)) }
    }

    @Test func `the same request goes on where the body broke off`() async throws {
        stub.respond(to: "/x", with: ok().failing(after: 40), rest(from: 40))
        let loader = loader()
        try await breakOff(loader)
        expectEqual(store.count, 1)
        let response = try await loader.get(url).collected(upTo: 100)
        expectEqual(response.status, 200)
        expectEqual(response.bytes, whole)
        expectEqual(response.headers["Content-Length"], "100")
        expectNil(response.headers["Content-Range"])
        let question = try required(stub.requests.last)
        expectEqual(question.headers["Range"], "bytes=40-")
        expectEqual(question.headers["If-Range"], "\"v1\"")
        expectEqual(store.count, 0)
    }

    @Test func `a body that breaks off while it is read goes on a few times`() async throws {
        stub.respond(
            to: "/x", with: ok().failing(after: 40), rest(from: 40).failing(after: 20),
            rest(from: 60).failing(after: 5), rest(from: 65))
        let bytes = try await loader(3).bytes(HTTPRequest(url: url))
        expectEqual(bytes, whole)
        expectEqual(stub.requests.map { $0.headers["Range"] }, [nil, "bytes=40-", "bytes=60-", "bytes=65-"])
        expectEqual(store.count, 0)
        for code in [HTTPError.Code.truncatedBody, .timedOut] {
            let (stub, error) = (StubLoader(), HTTPError(code: code, message: ""))
            stub.respond(to: "/x", with: ok().failing(after: 40, with: error), rest(from: 40))
            let loader = ResumingLoader(stub, store: store, maximumResumptions: 1)
            try await expectEqual(loader.bytes(HTTPRequest(url: url)), whole, "\(code)")
        }
        let other = StubLoader()
        other.respond(to: "/x", with: ok().failing(after: 40), .status(416))
        try await breakOff(ResumingLoader(other, store: store, maximumResumptions: 1))
        expectEqual(store.count, 0)
        stub.respond(to: "/x", with: ok().failing(after: 40))
        try await breakOff(loader(0))
    }

    @Test func `a reader that leaves pauses the body and the next one resumes it`() async throws {
        stub.respond(to: "/x", with: ok(), rest(from: 20))
        let loader = loader()
        do {
            var iterator = try await loader.get(url).body.makeAsyncIterator()
            _ = try await iterator.next()
            _ = try await iterator.next()
        }
        expectEqual(store.count, 1)
        // Time limits and priority make no other request of it.
        var request = HTTPRequest(url: url)
        request.options.totalTimeout = .seconds(1)
        let bytes = try await loader.bytes(request)
        expectEqual(bytes, whole)
    }

    @Test func `a fragment makes no other request, and credentials and policies do`() async throws {
        stub.respond(to: "/x", with: ok().failing(after: 40), rest(from: 40), ok().failing(after: 40))
        let loader = loader()
        await expectHTTPError { try await loader.bytes(HTTPRequest(url: URL(string: "http://a.example/x#a")!)) }
        let bytes = try await loader.bytes(HTTPRequest(url: URL(string: "http://a.example/x#b")!))
        expectEqual(bytes, whole)
        expectEqual(stub.requests.last?.headers["Range"], "bytes=40-")
        try await breakOff(loader)
        var other = HTTPRequest(url: url)
        other.options.credential = .bearer("b")
        let requests = [other, HTTPRequest(url: url, headers: ["Cookie": "a"])]
        let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"]
        let plain =
            conditions.map { HTTPRequest(url: url, headers: [$0: "a"]) }
            + [HTTPRequest(url: url, method: "POST"), HTTPRequest(url: url, body: [1])]
        for request in requests + plain + plain { _ = try? await loader.bytes(request) }
        expectEqual(stub.requests.dropFirst(2).compactMap { $0.headers["Range"] }, [])
    }

    @Test func `content that has changed is sent whole and the beginning is dropped`() async throws {
        stub.respond(to: "/x", with: ok().failing(after: 40), .ok([7, 7]).header("ETag", "\"v2\""))
        let loader = loader()
        try await breakOff(loader)
        let bytes = try await loader.bytes(HTTPRequest(url: url))
        expectEqual(bytes, [7, 7])
        expectEqual(store.count, 0)
    }

    @Test(arguments: [
        StubReply.status(416, headers: ["Content-Range": "bytes */10"]), .status(412),
        .status(206, headers: ["Content-Range": "bytes 39-99/100", "ETag": "\"v1\""], bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 41-99/100", "ETag": "\"v1\""], bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 40-98/99", "ETag": "\"v1\""], bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 40-80/100", "ETag": "\"v1\""], bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 40-99/100", "ETag": "\"v2\""], bytes: [1]),
        .status(
            206, headers: ["Content-Range": "bytes 40-99/100", "ETag": "\"v1\"", "Content-Encoding": "gzip"],
            bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 40-99/100", "ETag": "W/\"v1\""], bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 40-99/100"], bytes: [1]),
        .status(206, headers: ["Content-Range": "bytes 40-99/100", "Last-Modified": "\"v1\""], bytes: [1]),
        .status(206, headers: ["ETag": "\"v1\""], bytes: [1]),
        .status(206, headers: ["Content-Range": "lines 40-99/100", "ETag": "\"v1\""]),
    ])
    func `a rest that does not fit leads to the whole request`(_ reply: StubReply) async throws {
        stub.respond(to: "/x", with: ok().failing(after: 40), reply, ok())
        let loader = loader()
        try await breakOff(loader)
        let bytes = try await loader.bytes(HTTPRequest(url: url))
        expectEqual(bytes, whole)
        expectEqual(stub.requests.map { $0.headers["Range"] }, [nil, "bytes=40-", nil])
    }

    @Test func `accepted statuses and an unknown length do not keep a body from its rest`() async throws {
        var request = HTTPRequest(url: url)
        request.options.acceptableStatuses = [200]
        let body = AsyncThrowingStream<[UInt8], any Error> { stream in
            stream.yield(Array(whole[..<40]))
            stream.finish(throwing: HTTPError(code: .connectionLost, message: ""))
        }
        let chunked = HTTPResponse(status: 200, headers: ["ETag": "\"v1\""], url: url, body: HTTPBody(body))
        stub.respond(to: "/x", with: .response(chunked), rest(from: 40))
        let loader = loader()
        await expectHTTPError { try await loader.bytes(request) }
        try await expectEqual(loader.send(request).headers["Content-Length"], "100")
        let asked = try required(stub.requests.last?.options.acceptableStatuses)
        expectEqual([200, 206, 412, 416, 404].map { asked.contains($0) }, [true, true, true, true, false])
        for status in [412, 416] {
            let answer = HTTPError.Response(status: status, headers: [:], url: url, beginning: [])
            let error = HTTPError(code: .unacceptableStatus, message: "", response: answer)
            let stub = StubLoader()
            stub.respond(to: "/x", with: ok().failing(after: 40), .failure(error), ok())
            let loader = ResumingLoader(stub, maximumResumptions: 0)
            await expectHTTPError { try await loader.bytes(request) }
            try await expectEqual(loader.bytes(request), whole)
        }
    }

    @Test func `an error of the origin leaves the beginning for later`() async throws {
        stub.respond(
            to: "/x", with: ok().failing(after: 40), .status(503), .status(400), .failure(.cannotConnect),
            rest(from: 40)
        )
        let loader = loader()
        try await breakOff(loader)
        for status in [503, 400] {
            try await expectEqual(loader.get(url).status, status)
            expectEqual(store.count, 1)
        }
        await expectHTTPError { try await loader.get(url) }
        expectEqual(store.count, 1)
        let bytes = try await loader.bytes(HTTPRequest(url: url))
        expectEqual(bytes, whole)
    }

    @Test func `parts that are longer or shorter than announced are no whole`() async throws {
        let long = StubReply.status(
            206, headers: ["Content-Range": "bytes 40-99/100", "ETag": "\"v1\""],
            bytes: [UInt8](repeating: 0, count: 61))
        let short = StubReply.status(206, headers: ["Content-Range": "bytes 40-99/100", "ETag": "\"v1\""], bytes: [0])
        for (reply, code) in [(long, HTTPError.Code.invalidResponse), (short, .truncatedBody)] {
            let stub = StubLoader()
            stub.respond(to: "/x", with: ok().failing(after: 40), reply)
            let loader = ResumingLoader(stub, maximumResumptions: 0)
            try await breakOff(loader)
            await expectHTTPError(code) { try await loader.bytes(HTTPRequest(url: url)) }
            expectEqual(loader.store.count, code == .truncatedBody ? 1 : 0)
        }
    }

    @Test(arguments: [
        StubReply.ok(Array(0..<9)), .ok(Array(0..<9)).header("ETag", "W/\"v\""),
        .ok(Array(0..<9)).header("ETag", "\"v\"").header("Accept-Ranges", "none"),
        .ok(Array(0..<9)).header("ETag", "\"v\"").header("Content-Encoding", "gzip"),
        .status(203, headers: ["ETag": "\"v\""], bytes: Array(0..<9)), .ok(Array(0..<9)).header("ETag", "\""),
        .ok(Array(0..<9)).header("Last-Modified", "Thu, 01 Jan 1970 00:16:50 GMT")
            .header("Date", "Thu, 01 Jan 1970 00:17:40 GMT"),
    ])
    func `a beginning whose rest could be another is not kept`(_ reply: StubReply) async throws {
        stub.respond(to: "/x", with: reply.failing(after: 5))
        try await breakOff(loader())
        expectEqual(store.count, 0)
    }

    @Test func `an old date of the last change is a validator`() async throws {
        let date = "Thu, 01 Jan 1970 00:16:50 GMT"
        let reply = StubReply.ok(whole).header("Last-Modified", date).header("Date", "Thu, 01 Jan 1970 00:17:50 GMT")
        // The rest has the date, another one, or none but a weak tag.
        for (field, joins) in [(date, true), ("Thu, 01 Jan 1970 00:16:51 GMT", false), (nil, false)] {
            let stub = StubLoader()
            let rest = rest(from: 5, tag: "W/\"weak\"")
            stub.respond(
                to: "/x", with: reply.failing(after: 5), field.map { rest.header("Last-Modified", $0) } ?? rest, reply)
            let store = PartialBodyStore()
            let loader = ResumingLoader(stub, store: store, maximumResumptions: 0)
            try await breakOff(loader)
            expectEqual(store.count, 1)
            let bytes = try await loader.bytes(HTTPRequest(url: url))
            expectEqual(bytes, whole)
            expectEqual(stub.requests.map { $0.headers["If-Range"] }, (joins ? [nil, date] : [nil, date, nil]))
        }
    }

    @Test func `a store keeps the newest beginnings within its limits, in which addresses and fields count`() throws {
        let store = PartialBodyStore(maximumByteCount: 9_000, maximumBodyByteCount: 4_000, maximumCount: 3)
        func keep(_ number: Int, _ count: Int, _ tag: String = "\"v\"") throws {
            let response = HTTPResponse(status: 200, headers: ["ETag": tag], url: url)
            let request = HTTPRequest(url: url.appending(path: "\(number)"))
            var partial = try required(PartialBody(response, to: request))
            partial.append([UInt8](repeating: 0, count: count))
            store.keep(partial, for: request)
        }
        try keep(1, 4_001)
        expectEqual(store.count, 0)
        try keep(1, 4_000)
        expectEqual(store.count, 1)
        store.removeAll()
        for number in 2...4 { try keep(number, 3_000) }
        expectEqual(store.count, 2)
        expect(store.byteCount, >, 6_000)
        for number in 5...9 { try keep(number, 1) }
        expectEqual(store.count, 3)
        let small = store.byteCount
        expect(small, <, 3 * 1_500)
        // A shorter beginning does not replace a longer one.
        try keep(9, 1_005)
        try keep(9, 1_002)
        expectAll(store.byteCount - small > 950, store.byteCount - small < 1_050)
        expectEqual(store.take(HTTPRequest(url: url.appending(path: "9")))?.count, 1_005)
        for tag in ["\"v\"", "\"w\""] { try keep(9, tag == "\"v\"" ? 8 : 7, tag) }
        expectEqual(store.take(HTTPRequest(url: url.appending(path: "9")))?.count, 7)
        expectEqual(store.take(HTTPRequest(url: url.appending(path: "8")))?.count, 1)
        store.removeAll()
        expectEqual(store.byteCount, 0)
        let narrow = PartialBodyStore(maximumByteCount: 100_000)
        let large = String(repeating: "x", count: 5_000)
        for number in 0..<100 {
            let request = HTTPRequest(url: URL(string: "http://a.example/\(number)?\(large)")!)
            let response = HTTPResponse(status: 200, headers: ["ETag": "\"v\"", "X": large], url: request.url)
            var partial = try required(PartialBody(response, to: request))
            partial.append([1])
            narrow.keep(partial, for: request)
        }
        expectAll((8...9).contains(narrow.count), narrow.byteCount <= 100_000)
    }

    @Test func `a body above the limit of the store goes on while it is read and is not kept`() async throws {
        let small = PartialBodyStore(maximumBodyByteCount: 30)
        stub.respond(to: "/x", with: ok().failing(after: 40), rest(from: 40).failing(after: 10))
        let loader = ResumingLoader(stub, store: small, maximumResumptions: 1)
        try await breakOff(loader)
        expectEqual(stub.requests.map { $0.headers["Range"] }, [nil, "bytes=40-"])
        expectEqual(small.count, 0)
    }

    @Test func `all parts together count for the limit of the request`() async throws {
        stub.respond(
            to: "/x", with: ok().failing(after: 40),
            .status(206, headers: ["Content-Range": "bytes 40-99/*", "ETag": "\"v1\""], bytes: Array(whole[40...])))
        let loader = loader()
        var request = HTTPRequest(url: url)
        request.options.maximumBodyByteCount = 99
        for _ in 0..<2 { _ = try? await loader.bytes(request) }
        await expectHTTPError(.bodyTooLarge) {
            stub.respond(to: "/x", with: ok())
            _ = try await loader.bytes(request)
        }
        expectEqual(store.count, 0)
    }
}
