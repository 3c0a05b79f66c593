// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
#endif

/// Downloads to files. A new downloader for each call, as in another process.
@Suite(.timeLimit(.minutes(1)))
struct FileDownloadTests {
    private let stub = StubLoader()
    private let url = URL(string: "http://a.example/x")!
    private let whole: [UInt8] = Array(0..<100)
    private let place = TemporaryFolder()

    private var folder: String { place.url.path }
    private var path: String { folder + "/file" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func download(from other: StubLoader? = nil, limit: Int = 1_000) async throws -> [Int] {
        let downloader = FileDownloader(other ?? stub, maximumByteCount: limit)
        defer { Task { await downloader.shutdown() } }
        let result = try await downloader.download(HTTPRequest(url: url), to: path)
        return [result.byteCount, result.receivedCount]
    }

    private func ok(_ bytes: [UInt8]? = nil, tag: String? = "\"v1\"") -> StubReply {
        let reply = StubReply.ok(bytes ?? whole).inChunks(of: 10)
        return tag.map { reply.header("ETag", $0) } ?? reply
    }

    private func rest(from first: Int, tag: String = "\"v1\"") -> StubReply {
        .status(206, headers: ["Content-Range": "bytes \(first)-99/100", "ETag": tag], bytes: Array(whole[first...]))
    }

    private func bytes(_ suffix: String = "") -> [UInt8]? {
        FileManager.default.contents(atPath: path + suffix).map { Array($0) }
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] }

    private func expectNoFile() async { await expectHTTPError { try await download() } }

    @Test func `a download goes on where another process stopped`() async throws {
        stub.respond(to: "/x", with: ok().failing(after: 40), rest(from: 40).failing(after: 30), rest(from: 70))
        await expectNoFile()
        expectNil(bytes())
        expectEqual(bytes(".part"), Array(whole[..<40]))
        await expectNoFile()
        try await expectEqual(download(), [100, 30])
        expectEqual(bytes(), whole)
        expectEqual(names, ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        expectEqual(mode, 0o600)
        expectEqual(stub.requests.map { $0.headers["Range"] }, [nil, "bytes=40-", "bytes=70-"])
        expectEqual(stub.requests.map { $0.headers["If-Range"] }, [nil, "\"v1\"", "\"v1\""])
        expect(stub.requests.allSatisfy { !$0.options.decodesContent })
    }

    @Test func `a beginning that does not fit what the origin has is thrown away`() async throws {
        let new = [UInt8](repeating: 7, count: 20)
        let rows: [(case: String, first: StubReply, next: [StubReply], content: [UInt8])] = [
            ("changed content", ok(), [ok(new, tag: "\"v2\"")], new),
            ("refused with 412", ok(), [.status(412), ok()], whole),
            ("refused with 416", ok(), [.status(416), ok()], whole),
            ("a rest of other content", ok(), [rest(from: 40, tag: "\"v2\""), ok()], whole),
            ("a rest with a weak tag", ok(), [rest(from: 40, tag: "W/\"v1\""), ok()], whole),
            ("a rest with an empty tag", ok(), [rest(from: 40, tag: ""), ok()], whole),
            ("no validator", ok(tag: nil), [ok(tag: nil)], whole),
        ]
        for row in rows {
            let stub = StubLoader()
            stub.respond(to: "/x", with: row.first.failing(after: 40), row.next[0], row.next[row.next.count - 1])
            await expectHTTPError { try await download(from: stub) }
            try await expectEqual(download(from: stub), [row.content.count, row.content.count], "\(row.case)")
            expectEqual(bytes(), row.content, "\(row.case)")
            expectEqual(names, ["file"], "\(row.case)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `a beginning that is whole gets its name and is not fetched again`() async throws {
        let note = #"{"url":"http://a.example/x","validator":"\"v1\"","total":100}"#
        func leaveBehind() throws {
            try Data(whole).write(to: URL(filePath: path + ".part"))
            try Data(note.utf8).write(to: URL(filePath: path + ".part.json"))
        }
        try leaveBehind()
        try await expectEqual(download(), [100, 0])
        expectEqual(bytes(), whole)
        expectEqual(names, ["file"])
        expectEqual(stub.requestCount, 0)
        try leaveBehind()
        await expectHTTPError(.bodyTooLarge) { try await download(limit: 99) }
    }

    @Test func `a note keeps no cookie, and a whole beginning is asked for again by a request with rights`()
        async throws
    {
        let reply = ok(tag: "\"v2\"").header("Set-Cookie", "user=secret").header("X-Kept", "kept")
        stub.respond(to: "/x", with: reply.failing(after: 40))
        await expectNoFile()
        let note = String(decoding: bytes(".part.json") ?? [], as: UTF8.self)
        expect(note.contains("kept") && !note.contains("secret"))

        var asking = [HTTPRequest](repeating: HTTPRequest(url: url), count: 3)
        asking[0].options.credential = .bearer("secret")
        asking[1].headers["X-Tenant"] = "anna"
        asking[2].options.cookies.values = ["user": "anna"]
        for request in asking {
            let note = #"{"url":"http://a.example/x","validator":"\"v1\"","total":100}"#
            try Data(whole).write(to: URL(filePath: path + ".part"))
            try Data(note.utf8).write(to: URL(filePath: path + ".part.json"))
            let stub = StubLoader()
            stub.respond(to: "/x", with: .status(403))
            await expectHTTPError(.unacceptableStatus) { try await FileDownloader(stub).download(request, to: path) }
            expectNil(bytes())
        }
    }

    @Test func `the limit counts all bytes of a body of unknown length`() async throws {
        let parts = [Array(whole[..<60]), Array(whole[60...])]
        for (limit, isAccepted) in [(99, false), (100, true)] {
            let body = AsyncThrowingStream<[UInt8], any Error> { stream in
                for part in parts { stream.yield(part) }
                stream.finish()
            }
            let stub = StubLoader()
            stub.respond(to: "/x", with: .response(HTTPResponse(status: 200, url: url, body: HTTPBody(body))))
            if isAccepted {
                try await expectEqual(download(from: stub, limit: limit), [100, 100])
            } else {
                await expectHTTPError(.bodyTooLarge) { try await download(from: stub, limit: limit) }
            }
        }
    }

    @Test func `a paused download holds nothing, and goes on from what is written`() async throws {
        let reply = ok(tag: "\"v1\"").header("Content-Type", "image/gif")
        stub.respond(to: "/x", with: reply, rest(from: 30))
        let (control, seen) = (DownloadControl(), Journal<Int>())
        let (downloader, place, request) = (FileDownloader(stub), path, HTTPRequest(url: url))
        async let file = downloader.download(request, to: place, control: control) { progress in
            seen.write(progress.byteCount)
            expectEqual(progress.totalByteCount, 100)
            if [30, 100].contains(progress.byteCount) { control.pause() }
        }
        await control.waitUntilPaused()
        expect(control.isPaused)
        expectEqual(stub.requestCount, 1)
        expectEqual(bytes(".part"), Array(whole[..<30]))
        // The lock is free.
        _ = try PartFile(path, url: url)
        control.resume()
        let result = try await file
        expectEqual([result.byteCount, result.receivedCount], [100, 100])
        expectEqual(result.path, path)
        expectEqual(result.headers["Content-Type"], "image/gif")
        expectEqual(bytes(), whole)
        expectEqual(Array(seen.entries.prefix(3)), [10, 20, 30])
        expectEqual(seen.entries.last, 100)
        expectEqual(stub.requests.map { $0.headers["Range"] }, [nil, "bytes=30-"])
        await downloader.shutdown()
    }

    @Test func `a paused download that is cancelled ends at once`() async throws {
        stub.respond(to: "/x", with: ok())
        let control = DownloadControl()
        control.pause()
        let (downloader, place, request) = (FileDownloader(stub), path, HTTPRequest(url: url))
        let task = Task { try await downloader.download(request, to: place, control: control) }
        await control.waitUntilPaused()
        task.cancel()
        await expectError(CancellationError.self) { try await task.value }
        expectEqual(stub.requestCount, 0)
        let executor = SeededExecutor(seed: 1)
        let waiting = Probe(on: executor) { await control.waitUntilPaused() }
        executor.drain()
        expect(waiting.isRunning)
        waiting.cancel()
        executor.drain()
        await downloader.shutdown()
    }

    @Test func `the fields of the response name a file, also of one that another process began`() async throws {
        let kind = "image/gif"
        stub.respond(to: "/x", with: ok().header("Content-Type", kind).failing(after: 40), rest(from: 40))
        let downloader = FileDownloader(stub)
        func load(_ name: @escaping @Sendable (HTTPHeaders) -> String) async throws -> DownloadedFile {
            try await downloader.download(HTTPRequest(url: url), intoFolder: folder, naming: name)
        }
        await expectHTTPError { try await load { _ in "never" } }
        expect(names.allSatisfy { $0.hasPrefix(".download-") })
        // A bad name leaves the whole file for the next call, which asks no origin.
        for name in ["", ".", "..", "a/b", "../b", "a\0", ".download-1", "x.part", "x.part.json"] {
            await expectHTTPError(.fileNotAllowed) { try await load { _ in name } }
        }
        let file = try await load { ($0["Content-Type"] ?? "").hasSuffix("gif") ? "a.gif" : "a" }
        expectEqual(file.path, folder + "/a.gif")
        expectEqual(names, ["a.gif"])
        expectEqual(FileManager.default.contents(atPath: file.path).map { Array($0) }, whole)
        expectEqual(file.headers["Content-Type"], kind)
        expectEqual(stub.requestCount, 2)
        await downloader.shutdown()
    }

    @Test func `an error of the origin leaves the beginning and the old file`() async throws {
        try Data([1]).write(to: URL(filePath: path))
        stub.respond(to: "/x", with: ok().failing(after: 40), .status(503), rest(from: 40))
        for _ in 0..<2 { await expectNoFile() }
        expectEqual(bytes(), [1])
        try await expectEqual(download(), [100, 60])
        expectEqual(bytes(), whole)
    }

    @Test(arguments: [
        "", "{}", #"{"url":"http://b.example/x","validator":"\"v1\""}"#,
        #"{"url":"http://a.example/x","validator":"\"v1\"","total":39}"#,
    ])
    func `a beginning without its own note is not continued`(_ note: String) async throws {
        try Data(whole[..<40]).write(to: URL(filePath: path + ".part"))
        try Data(note.utf8).write(to: URL(filePath: path + ".part.json"))
        stub.respond(to: "/x", with: ok())
        try await expectEqual(download(), [100, 100])
        expectNil(stub.requests.first?.headers["Range"])
        expectEqual(bytes(), whole)
    }

    @Test func `one download at a time writes a file and no link is followed`() async throws {
        let gate = Gate()
        stub.respond(to: "/x", with: ok().held(at: gate), ok())
        async let first = download()
        await stub.waitForRequests(count: 1)
        await expectHTTPError(.fileNotAllowed) { try await download() }
        gate.open()
        try await expectEqual(first, [100, 100])
        try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: path)
        await expectHTTPError(.fileNotAllowed) { try await download() }
        expectEqual(bytes(), whole)
        expectEmpty(place.openDescriptors)
    }

    @Test func `a body that begins anew leaves nothing of an earlier one, neither bytes nor its note`() async throws {
        let new = [UInt8](repeating: 7, count: 100)
        let short = StubReply.status(
            206, headers: ["Content-Range": "bytes 10-99/100", "ETag": "\"v2\""], bytes: Array(new[10...]))
        stub.respond(
            to: "/x", with: ok().failing(after: 40), ok(new, tag: "\"v2\"").failing(after: 10), short,
            ok().failing(after: 40), ok(tag: nil).failing(after: 50), ok())
        for _ in 0..<2 { await expectNoFile() }
        expectEqual(bytes(".part"), Array(new[..<10]))
        try await expectEqual(download(), [100, 90])
        expectEqual(bytes(), new)
        for _ in 0..<2 { await expectNoFile() }
        expectEqual(names, ["file", "file.part"])
        try await expectEqual(download(), [100, 100])
        expectEqual(bytes(), whole)
        expectEqual(
            stub.requests.map { $0.headers["Range"] }, [nil, "bytes=40-", "bytes=10-", nil, "bytes=40-", nil])
    }

    @Test func `each address has a part of its own, and a body that lacks a byte is none`() async throws {
        for path in ["/ab", "/ba", "/ba#fragment"] {
            stub.respond(to: String(path.prefix(3)), with: ok().failing(after: 40))
            let request = HTTPRequest(url: URL(string: "http://a.example" + path)!)
            await expectHTTPError { try await FileDownloader(stub).download(request, intoFolder: folder) { _ in "a" } }
        }
        expectEqual(names.filter { $0.hasSuffix(".part") }.count, 2)
        let body = AsyncThrowingStream<[UInt8], any Error> { stream in
            stream.yield(Array(whole.dropLast()))
            stream.finish()
        }
        let short = HTTPResponse(status: 200, url: url, body: HTTPBody(body, expectedByteCount: 100))
        stub.respond(to: "/x", with: .response(short))
        await expectHTTPError(.truncatedBody) { try await download() }
    }

    @Test func `a file has a limit and only a plain GET request is downloaded`() async throws {
        stub.respond(to: "/x", with: ok())
        await expectHTTPError(.bodyTooLarge) { try await download(limit: 99) }
        try await expectEqual(download(limit: 100), [100, 100])
        let (get, post) = (HTTPRequest(url: url), HTTPRequest(url: url, method: "POST"))
        let part = HTTPRequest(url: url, headers: ["Range": "bytes=1-"])
        for (request, place) in [(post, path), (part, path), (get, "relative"), (get, path + "\0")] {
            await expectHTTPError(.invalidRequest) { try await FileDownloader(stub).download(request, to: place) }
        }
        await expectHTTPError(.fileNotAllowed) { try await FileDownloader(stub).download(get, to: path + "/none") }
        expectEqual(unsafe mkfifo(path + ".part", 0o600), 0)
        await expectHTTPError(.fileNotAllowed) { try await download() }
    }
}
