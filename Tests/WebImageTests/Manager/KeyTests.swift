// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing

@testable import WebImage

@Suite struct KeyTests {
    @Test func `loads of one caller each have keys of their own, also in a table`() {
        let request = ImageRequest.numbered(1)
        let callers = (0..<64).map { _ in Shared(()) }
        let keys = callers.map { LoadKey(request, variant: request.variantKey, of: $0) }
        expectEqual(Set(keys).count, 64)
        // Equal hashes would make each look-up walk along all others.
        expectEqual(Set(keys.map(\.hashValue)).count, 64)
        expectEqual(LoadKey(request, variant: request.variantKey, of: callers[0]), keys[0])
    }

    @Test func `a plain request is named by its URL, and one with credentials stays off the disk unless it is named`() {
        // A plain request is named by its URL.
        let request = ImageRequest.numbered(1)
        expectEqual(request.originalKey.rawValue, "https://example.org/1.png")
        expectEqual(request.variantKey, request.originalKey)
        expect(request.allowsDisk)

        // A request with credentials stays off the disk unless it names its picture.
        do {
            var request = ImageRequest.numbered(1)
            request.headers["Authorization"] = "Bearer secret"
            expect(!request.allowsDisk)
            request.cacheKey = "avatar/1"
            expectAll(request.allowsDisk, !request.originalKey.rawValue.contains("secret"))
        }

        // A custom cache key never equals a URL.
        do {
            var request = ImageRequest.numbered(1)
            request.cacheKey = ImageRequest.numbered(2).url.absoluteString
            expect(request.originalKey != ImageRequest.numbered(2).originalKey)
        }
    }

    @Test func `every field that changes the bytes changes the name and the identity`() {
        var requests = [ImageRequest.numbered(1), ImageRequest.numbered(2)]
        let spellings = ["\u{E9}", "e\u{301}"]  // equal as strings
        for header in ["a", "b"] + spellings {
            var request = ImageRequest.numbered(1)
            request.headers["X-Tenant"] = header
            requests.append(request)
        }
        for body in [[0xC3, 0x28], [0xC3, 0x29], []] as [[UInt8]] {
            var request = ImageRequest.numbered(1)
            request.method = "POST"
            request.body = body
            requests.append(request)
        }
        for method in ["POST", "PUT", "get"] {
            var request = ImageRequest.numbered(1)
            request.method = method
            requests.append(request)
        }
        var put = ImageRequest.numbered(1)
        (put.method, put.body) = ("PUT", [0xC3, 0x28])
        requests.append(put)
        for identity in ["one", "two"] + spellings {
            var request = ImageRequest.numbered(1)
            request.modifier = RequestModifier(identity: identity) { $0 }
            requests.append(request)
        }
        expectEqual(Set(requests.map(\.originalKey)).count, requests.count)
        expectEqual(Set(requests.map(RequestIdentity.init)).count, requests.count)
    }

    @Test func `a request for a key of the program has an address, a name and an identity of its own`() {
        let requests = [ImageRequest(key: "a"), ImageRequest(key: "b"), ImageRequest(key: "\u{E9}"), .numbered(1)]
        expectEqual(Set(requests.map(\.url)).count, 4)
        expectEqual(Set(requests.map(\.originalKey)).count, 4)
        expectEqual(Set(requests.map(RequestIdentity.init)).count, 4)
        expectEqual(RequestIdentity(ImageRequest(key: "a")), RequestIdentity(requests[0]))
        // Strings are equal in different encodings, which a program may tell apart.
        expectEqual(ImageRequest(key: "e\u{301}").originalKey == requests[2].originalKey, false)
    }

    @Test func `a fragment is no part of a name and of an identity`() throws {
        func request(_ text: String) throws -> ImageRequest { ImageRequest(try required(URL(string: text))) }
        let plain = try request("https://example.org/1.png?x")
        for text in [
            "https://example.org/1.png?x#a", "https://example.org/1.png?x#b", "https://example.org/1.png?x#",
        ] {
            var other = try request(text)
            expectEqual(other.originalKey, plain.originalKey)
            expectEqual(other.variantKey, plain.variantKey)
            expectEqual(RequestIdentity(other), RequestIdentity(plain))
            expectEqual(RequestIdentity(other).hashValue, RequestIdentity(plain).hashValue)
            // The caller, hooks and loaders see the address as it was given.
            expectEqual(other.url.absoluteString, text)
            other.url = try required(URL(string: "https://example.org/2.png#a"))
            expectEqual(other.originalKey.rawValue, "https://example.org/2.png")
        }
        // Other schemes may mean something by it.
        try expect(request("asset:a#1").originalKey != request("asset:a#2").originalKey)
    }

    @Test func `no text of a part of a request passes for two parts`() {
        struct Named: ImageTransforming {
            let key: String
            func transform(_ image: DecodedImage) -> DecodedImage { image }
        }
        func request(
            _ keys: [String] = [], name: String? = nil, fields: [(String, String)] = [], modifier: String? = nil
        ) -> ImageRequest {
            var request = ImageRequest.numbered(1, transformers: keys.map { Named(key: $0) })
            request.cacheKey = name
            for (name, value) in fields { request.headers.append(name: name, value: value) }
            request.modifier = modifier.map { RequestModifier(identity: $0) { $0 } }
            return request
        }
        // Both forms in which a part could be written without the number of its bytes, and with it.
        for separator in ["\0", "\01:", "\0variant\0", "\0variant\01:"] {
            let requests = [
                request(["a", "b"]), request(["a\(separator)b"]), request(["a"]), request(["a\(separator)"]),
                request(["b"], name: "a"), request(name: "a\(separator)b"), request(["a"], name: "b"),
                request([], name: "b\(separator)a"), request(["b"], name: "a\(separator)"),
                request(fields: [("x", "a"), ("y", "b")]), request(fields: [("x", "a\(separator)y\(separator)b")]),
                request(fields: [("x", "a")], modifier: "b"),
                request(fields: [("x", "a\0modifier\0b")]), request(fields: [("x", "a\0modifier\01:b")]),
            ]
            expectEqual(Set(requests.map(\.variantKey)).count, requests.count, "\(separator.debugDescription)")
            let files = requests.map { $0.fileKey(.png) } + requests.map(\.variantKey)
            expectEqual(Set(files).count, files.count)
        }
    }
}

/// The origin of a request, which is the lane that its transfer waits in.
@Suite struct OriginTests {
    @Test(arguments: [
        ("https://example.org/1.png", "https://example.org"),
        ("HTTPS://EXAMPLE.org:8080/1?x=/@y", "https://example.org:8080"),
        ("http://user:p%40ss@example.org/", "http://example.org"), ("http://[::1]:81/1.png", "http://[::1]:81"),
        ("http://[::1]/1.png", "http://[::1]"), ("https://example.org?x#y", "https://example.org"),
        ("https://example.org:443", "https://example.org"), ("http://example.org:80/", "http://example.org"),
        ("https://example.org:80", "https://example.org:80"), ("data:text", ""), ("file:///tmp/x.png", "file://"),
    ])
    func `scheme, host and port are read from the text of the URL`(text: String, origin: String) throws {
        expectEqual(ImageRequest(try required(URL(string: text))).origin, origin)
    }
}
