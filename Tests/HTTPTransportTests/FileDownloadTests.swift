// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
#else
import Darwin
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

    @Test func `an error of the origin leaves the beginning and the old file`() async throws {
        try Data([1]).write(to: URL(filePath: path))
        stub.respond(to: "/x", with: ok().failing(after: 40), .status(503), rest(from: 40))
        await expectNoFile()
        await expectNoFile()
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
    }

    @Test func `a file has a limit and only a plain GET request is downloaded`() async throws {
        stub.respond(to: "/x", with: ok())
        await expectHTTPError(.bodyTooLarge) { try await download(limit: 99) }
        try await expectEqual(download(limit: 100), [100, 100])
        for request in [
            HTTPRequest(url: url, method: "POST"), HTTPRequest(url: url, headers: ["Range": "bytes=1-"]),
        ] {
            await expectHTTPError(.invalidRequest) { try await FileDownloader(stub).download(request, to: path) }
        }
    }
}
