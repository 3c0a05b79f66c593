// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// The chain and the loaders without a network. Those for files are in `FileLoaderTests`.
struct LoaderTests {
    private func request(_ url: String, method: String = "GET") throws -> HTTPRequest {
        HTTPRequest(url: try required(URL(string: url)), method: method)
    }

    @Test func `a chain gives a request to the first loader that takes its scheme, and names all schemes`()
        async throws
    {
        let first = StubLoader(schemes: ["a"]) { _, _ in .ok([1]) }
        let second = StubLoader(schemes: ["a", "b"]) { _, _ in .ok([2]) }
        let two = HTTPLoaderChain(first, second)
        for (url, byte) in [("a://x/", 1), ("b://x/", 2), ("B://x/", 2)] as [(String, UInt8)] {
            try await expectEqual(two.bytes(try request(url)), [byte], "\(url)")
        }
        expectEqual(first.requestCount, 1)
        await two.shutdown()
        expectEqual([first.isShutDown, second.isShutDown], [true, true])
        let client = HTTPClient()
        let chain = HTTPLoaderChain([FileLoader(roots: []), DataURLLoader(), client, client])
        expectEqual(chain.schemes, ["file", "data", "http", "https"])
        expectEqual(chain.localSchemes, ["file", "data"])
        expectEqual([two.canLoad(try request("b://x/")), two.canLoad(try request("c://x/"))], [true, false])
        let odd = try request("ftp://a.example/x")
        expect(!chain.canLoad(odd))
        let error = await expectHTTPError(.unsupportedURL) { try await chain.send(odd) }
        expectEqual(error?.message.contains("\"ftp\""), true)
        expectEqual(error?.message.contains("file, data, http, https"), true)
        let empty = await expectHTTPError { try await HTTPLoaderChain().send(odd) }
        expectEqual(empty?.message.contains("no loader that names a scheme"), true)
        await chain.shutdown()
    }

    @Test func `a client takes http and https, and names the loader for local content`() async throws {
        let client = HTTPClient()
        for (url, expected) in [
            ("http://a/", true), ("HTTPS://a/", true), ("file:///a", false), ("data:,a", false), ("//a/b", false),
        ] {
            expectEqual(client.canLoad(try request(url)), expected, "\(url)")
        }
        for (url, loader) in [("file:///a/b.png", "FileLoader"), ("DATA:,a", "DataURLLoader")] {
            let error = await expectHTTPError(.unsupportedURL, "\(url)") { try await client.send(try request(url)) }
            expectEqual(error?.message.contains(loader), true, "\(url)")
        }
        await client.shutdown()
    }

    @Test func `a data URL is decoded or refused`() async throws {
        for (url, type, content) in [
            ("data:,A%20brief%20note", "text/plain;charset=US-ASCII", "A brief note"),
            ("data:;charset=utf-8,%c3%A4", "text/plain;charset=utf-8", "ä"),
            ("data:image/gif;base64,R0lG", "image/gif", "GIF"), ("DATA:image/gif;BASE64,R0k", "image/gif", "GI"),
            ("data:text/plain;base64,R0%0A%20k=", "text/plain", "GI"),
            ("data:text/x,a%23b,c#d", "text/x", "a#b,c"), ("data:;base64,", "text/plain;charset=US-ASCII", ""),
        ] as [(String, String, String)] {
            let response = try await DataURLLoader().send(try request(url))
            expectEqual(response.status, 200, "\(url)")
            expectEqual(response.headers["Content-Type"], type, "\(url)")
            try await expectEqual(response.body.collect(upTo: 100), Array(content.utf8), "\(url)")
        }
        for url in [
            "data:image/png;base64", "data:;base64,A", "data:;base64,A%2", "data:;base64,§§§§", "data:;base64,R0=x",
            "dat:,a", "data:" + String(repeating: "a", count: 1_025) + ",x",
        ] {
            await expectHTTPError(.invalidRequest, "\(url)") { try await DataURLLoader().send(try request(url)) }
        }
    }

    @Test func `a data URL above the limit of the loader or of the request is refused`() async throws {
        let loader = DataURLLoader(maximumByteCount: 10)
        var exact = try request("data:,0123456789")
        let bytes = try await loader.bytes(exact)
        expectEqual(bytes.count, 10)
        exact.options.maximumBodyByteCount = 9
        var generous = try request("data:,0123456789a")
        generous.options.maximumBodyByteCount = 99
        let long = try request("data:," + String(repeating: "a", count: 9_999))
        for larger in [exact, generous, try request("data:,0123456789a"), long] {
            await expectHTTPError(.bodyTooLarge) { try await loader.send(larger) }
        }
        // What counts are the bytes, however they are spelled.
        let large = DataURLLoader(maximumByteCount: 10_000)
        for (letter, count) in [("a", 10_000), ("%61", 10_000)] {
            let url = "data:," + String(repeating: letter, count: count)
            let whole = try await large.bytes(try request(url))
            expectEqual(whole.count, count)
            await expectHTTPError(.bodyTooLarge) { try await large.send(try request(url + letter)) }
        }
        let boundless = try await DataURLLoader(maximumByteCount: .max).bytes(try request("data:,ab"))
        expectEqual(boundless.count, 2)
    }

    @Test func `bytes are loaded for the URLs that are known`() async throws {
        let url = URL(string: "asset://logo")!
        let loader = BytesLoader([url: BytesLoader.Content([1, 2], type: "image/png")])
        let response = try await loader.get(url)
        expectEqual(response.headers["Content-Type"], "image/png")
        let body = try await response.body.collect(upTo: 2)
        expectEqual(body, [1, 2])
        let head = try await loader.send(HTTPRequest(url: url, method: "HEAD"))
        expectEqual(head.headers["Content-Length"], "2")
        expectEqual(head.body.expectedByteCount, 0)
        let other = try request("asset://other")
        expectEqual([loader.canLoad(other), loader.canLoad(HTTPRequest(url: url))], [false, true])
        let missing = try await loader.send(other)
        expectEqual(missing.status, 404)
        var successful = other
        successful.options.acceptableStatuses = .success
        await expectHTTPError(.unacceptableStatus) { try await loader.send(successful) }
        let shouting = try required(URL(string: "ASSET://logo"))
        expectEqual(BytesLoader([url: .init([1]), shouting: .init([2])]).schemes, ["asset"])
        expectEqual([response.metrics.bytesReceived, head.metrics.bytesReceived], [2, 2])
        expectEqual(response.metrics.total, .zero)
    }

    @Test func `a closure answers for its schemes`() async throws {
        let loader = ClosureLoader(schemes: ["Thumb"]) { HTTPResponse(status: 200, url: $0.url, body: HTTPBody([[7]])) }
        let bytes = try await loader.bytes(try request("thumb:1"))
        expectEqual(bytes, [7])
        expectEqual([loader.canLoad(try request("thumb:1")), loader.canLoad(try request("other:1"))], [true, false])
        expectEqual(loader.schemes, ["thumb"])
        expect(ClosureLoader { HTTPResponse(status: 200, url: $0.url) }.canLoad(try request("other:1")))
    }

    @Test func `a cancelled task gets nothing from memory`() async throws {
        let request = try request("data:,a")
        let closure = ClosureLoader { HTTPResponse(status: 200, url: $0.url) }
        for loader in [DataURLLoader(), BytesLoader([:]), closure] as [any HTTPLoading] {
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await loader.send(request)
            }
            await expectError(CancellationError.self) { try await task.value }
        }
    }
}
