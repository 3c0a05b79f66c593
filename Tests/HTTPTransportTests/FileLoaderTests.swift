// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
#endif

/// Each test has a folder with a root in it, and beside the root what must not be read.
struct FileLoaderTests {
    private let place = TemporaryFolder()
    private var folder: URL { place.url }
    private var root: URL { folder.appending(path: "root") }

    init() throws {
        try FileManager.default.createDirectory(at: root.appending(path: "sub"), withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: folder.appending(path: "secret.txt"))
        try Data("abc".utf8).write(to: root.appending(path: "sub/a b.png"))
    }

    private static let types: [String: String] = [
        "jpg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp", "bmp": "image/bmp",
        "ico": "image/x-icon", "svg": "image/svg+xml", "avif": "image/avif", "heic": "image/heic", "tif": "image/tiff",
        "tiff": "image/tiff", "json": "application/json", "txt": "text/plain",
    ]

    private func loader(limit: Int = 1 << 20) -> FileLoader {
        FileLoader(roots: [root.path], maximumByteCount: limit)
    }

    private func expect(_ code: HTTPError.Code, _ url: URL, limit: Int = 1 << 20, _ method: String = "GET") async {
        await expectHTTPError(code, "\(url)") {
            try await loader(limit: limit).send(HTTPRequest(url: url, method: method))
        }
    }

    @Test func `a file is read with its type and length, and sent once to a reader that names its tag`()
        async throws
    {
        let loader = loader()
        let url = root.appending(path: "sub/a b.png")
        let response = try await loader.get(url)
        expectEqual(response.status, 200)
        expectEqual(response.headers["Content-Type"], "image/png")
        expectEqual(response.headers["Content-Length"], "3")
        let body = try await response.body.collect(upTo: 3)
        expectEqual(body, Array("abc".utf8))
        expectEqual(response.metrics.bytesReceived, 3)
        let head = try await loader.send(HTTPRequest(url: url, method: "HEAD"))
        expectEqual(head.body.expectedByteCount, 0)
        let missing = try await loader.get(root.appending(path: "sub/none.png"))
        expectEqual(missing.status, 404)
        var successful = HTTPRequest(url: root.appending(path: "sub/none.png"))
        successful.options.acceptableStatuses = .success
        await expectHTTPError(.unacceptableStatus) { try await loader.send(successful) }
        let tag = try required(response.headers["ETag"])
        let request = HTTPRequest(url: url, headers: ["If-None-Match": "\"other\", \(tag)"])
        let unchanged = try await loader.send(request)
        expectEqual(unchanged.status, 304)
        expectEqual(unchanged.headers["ETag"], tag)
        let any = try await loader.send(HTTPRequest(url: url, headers: ["If-None-Match": "*"]))
        expectEqual(any.status, 304)
        try Data("abc".utf8).write(to: root.appending(path: "c.d.JPEG"))
        let photo = try await loader.get(root.appending(path: "c.d.JPEG"))
        expectEqual(photo.headers["Content-Type"], "image/jpeg")
        let local = try await loader.get(try required(URL(string: "file://LocalHost" + root.path + "/c.d.JPEG")))
        expectEqual(local.status, 200)
        for (suffix, type) in Self.types {
            let file = root.appending(path: "file." + suffix)
            try Data().write(to: file)
            try await expectEqual(loader.get(file).headers["Content-Type"], type, "\(suffix)")
        }
        expectEmpty(place.openDescriptors)
        try Data("abcd".utf8).write(to: url)
        let changed = try await loader.send(request)
        expectEqual(changed.status, 200)
        await loader.shutdown()
    }

    @Test func `a large file is read in chunks and its end is the length at the beginning`() async throws {
        let url = root.appending(path: "large.bin")
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try content.write(to: url)
        let loader = loader()
        let response = try await loader.get(url)
        expectEqual(response.body.expectedByteCount, 1_000_000)
        let handle = try FileHandle(forWritingTo: url)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([1, 2, 3]))
        let body = try await response.body.collect(upTo: 1_000_000)
        expectEqual(body, Array(content))
        // And a file that becomes shorter is no whole file.
        try handle.truncate(atOffset: 500_000)
        await expectHTTPError(.truncatedBody) { try await response.body.collect(upTo: 1_000_000) }
        await loader.shutdown()
        await expectHTTPError(.shutDown) { try await loader.get(url) }
    }

    @Test func `no path and no link leads out of the roots`() async throws {
        let files = FileManager.default
        let secret = folder.appending(path: "secret.txt")
        try files.createSymbolicLink(at: root.appending(path: "link.png"), withDestinationURL: secret)
        try files.createSymbolicLink(at: root.appending(path: "dir"), withDestinationURL: folder)
        try files.createSymbolicLink(at: root.appending(path: "sub/up"), withDestinationURL: root)
        let base = "file://" + root.path
        let paths = [
            base + "/link.png", base + "/dir/secret.txt", base + "/sub/up/sub/a%20b.png", base + "/../secret.txt",
            base + "/sub/%2e%2e/%2E%2E/secret.txt", base + "/sub%2F..%2F..%2Fsecret.txt", base + "2/x", base,
            base + "/",
            "file:///etc/passwd", "file:///", base + "/a%00b", base + "/sub", "file://" + secret.path,
        ]
        for path in paths { await expect(.fileNotAllowed, try required(URL(string: path))) }
        await expect(.unsupportedURL, try required(URL(string: "file://other.example" + root.path + "/sub/a%20b.png")))
        await expect(.unsupportedURL, URL(string: "http://a.example/")!)
    }

    @Test func `without roots no file is read, and a pipe or a device is none and holds up no caller`() async throws {
        for roots in [[], ["relative"], ["/a/../../etc"]] {
            let loader = FileLoader(roots: roots)
            await expectHTTPError(.fileNotAllowed, "\(roots)") {
                try await loader.get(root.appending(path: "sub/a b.png"))
            }
        }
        let pipe = root.appending(path: "pipe")
        expectEqual(unsafe mkfifo(pipe.path, 0o600), 0)
        await expect(.fileNotAllowed, pipe)
        let devices = FileLoader(roots: ["/dev"])
        await expectHTTPError(.fileNotAllowed) { try await devices.get(URL(filePath: "/dev/zero")) }
    }

    @Test func `a file above the limit of the loader or of the request is refused unread`() async throws {
        let url = root.appending(path: "sub/a b.png")
        await expect(.bodyTooLarge, url, limit: 2)
        var request = HTTPRequest(url: url)
        request.options.maximumBodyByteCount = 2
        await expectHTTPError(.bodyTooLarge) { try await loader(limit: 3).send(request) }
        await expect(.invalidRequest, url, "POST")
    }

    @Test func `the tag of a file changes within a second, and no descriptor stays open`() throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let path = folder.url.appending(path: "a").path
        try Data([1]).write(to: URL(filePath: path))
        let tags = try [1, 2].map { nanoseconds in
            let time = timespec(tv_sec: 1_000, tv_nsec: nanoseconds)
            unsafe expectEqual(utimensat(AT_FDCWD, path, [time, time], 0), 0)
            return try OpenFile(path: path, url: folder.url).entityTag
        }
        #expect(tags[0] != tags[1])
        for (reasons, code) in [
            ([EMFILE, ENFILE], .tooManyOpenFiles), ([EIO], .transferFailed),
            ([ELOOP, ENOTDIR, EACCES, EPERM, ENXIO], .fileNotAllowed),
        ] as [([Int32], HTTPError.Code)] {
            for reason in reasons { expectEqual(OpenFile.failure(reason, folder.url).code, code, "\(reason)") }
        }
        let before = DescriptorTests.openOnes.count
        for _ in 0..<200 {
            _ = try OpenFile(path: path, url: folder.url)
            // A folder is opened, and refused.
            expectError(HTTPError.self) { try OpenFile(path: folder.url.path, url: folder.url) }
        }
        // Other tests open and close some meanwhile.
        #expect(DescriptorTests.openOnes.count < before + 100)
    }
}
