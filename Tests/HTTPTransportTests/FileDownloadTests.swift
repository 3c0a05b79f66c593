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
    private let folder = FileManager.default.temporaryDirectory.appending(path: "download-\(UUID().uuidString)").path

    private var path: String { folder + "/file" }

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func download(limit: Int = 1_000) async throws -> [Int] {
        let downloader = FileDownloader(stub, maximumByteCount: limit)
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

    private func expectNoFile() async { await #expect(throws: HTTPError.self) { try await download() } }

    @Test func `a download goes on where another process stopped`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
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

    @Test func `changed content replaces the beginning`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let new: [UInt8] = Array(repeating: 7, count: 20)
        stub.respond(to: "/x", with: ok().failing(after: 40), ok(new, tag: "\"v2\""))
        await expectNoFile()
        try await expectEqual(download(), [20, 20])
        expectEqual(bytes(), new)
        expectEqual(names, ["file"])
    }

    @Test(arguments: [412, 416])
    func `a beginning that the origin refuses is thrown away`(_ status: Int) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        stub.respond(to: "/x", with: ok().failing(after: 40), .status(status), ok())
        await expectNoFile()
        try await expectEqual(download(), [100, 100])
        expectEqual(bytes(), whole)
    }

    @Test func `a beginning that is whole gets its name and is not fetched again`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
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
        let error = await #expect(throws: HTTPError.self) { try await download(limit: 99) }
        expectEqual(error?.code, .bodyTooLarge)
    }

    @Test(arguments: ["\"v2\"", "W/\"v1\"", ""])
    func `a rest of another content is not joined`(_ tag: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        stub.respond(to: "/x", with: ok().failing(after: 40), rest(from: 40, tag: tag), ok())
        await expectNoFile()
        try await expectEqual(download(), [100, 100])
        expectEqual(bytes(), whole)
    }

    @Test func `an error of the origin leaves the beginning and the old file`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
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
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data(whole[..<40]).write(to: URL(filePath: path + ".part"))
        try Data(note.utf8).write(to: URL(filePath: path + ".part.json"))
        stub.respond(to: "/x", with: ok())
        try await expectEqual(download(), [100, 100])
        expectNil(stub.requests.first?.headers["Range"])
        expectEqual(bytes(), whole)
    }

    @Test func `content without a validator begins anew`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        stub.respond(to: "/x", with: ok(tag: nil).failing(after: 40), ok(tag: nil))
        await expectNoFile()
        try await expectEqual(download(), [100, 100])
        expectEqual(bytes(), whole)
    }

    @Test func `one download at a time writes a file and no link is followed`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let gate = Gate()
        stub.respond(to: "/x", with: ok().held(at: gate), ok())
        async let first = download()
        await stub.waitForRequests(count: 1)
        let error = await #expect(throws: HTTPError.self) { try await download() }
        expectEqual(error?.code, .fileNotAllowed)
        gate.open()
        try await expectEqual(first, [100, 100])
        try FileManager.default.createSymbolicLink(atPath: path + ".part", withDestinationPath: path)
        let refusal = await #expect(throws: HTTPError.self) { try await download() }
        expectEqual(refusal?.code, .fileNotAllowed)
        expectEqual(bytes(), whole)
    }

    @Test func `a file has a limit and only a plain GET request is downloaded`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        stub.respond(to: "/x", with: ok())
        let error = await #expect(throws: HTTPError.self) { try await download(limit: 99) }
        expectEqual(error?.code, .bodyTooLarge)
        try await expectEqual(download(limit: 100), [100, 100])
        for request in [
            HTTPRequest(url: url, method: "POST"), HTTPRequest(url: url, headers: ["Range": "bytes=1-"]),
        ] {
            let error = await #expect(throws: HTTPError.self) {
                try await FileDownloader(stub).download(request, to: path)
            }
            expectEqual(error?.code, .invalidRequest)
        }
    }
}
