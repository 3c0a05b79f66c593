// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

/// Contents that are sent piece by piece.
@Suite(.timeLimit(.minutes(10)))
struct UploadTests {
    private static let large = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }

    private static func request(_ origin: OriginServer, _ content: HTTPContent, path: String = "/") -> HTTPRequest {
        var request = HTTPRequest(url: origin.url(path), method: "PUT")
        request.content = content
        return request
    }

    /// Runs with an origin that records whole bodies and answers 200.
    private func withRecorder(
        _ configuration: HTTPClient.Configuration = .loopback, _ body: (OriginServer, HTTPClient) async throws -> Void
    ) async throws {
        let origin = try OriginServer.start()
        origin.respondToEverything { _ in .ok([1]) }
        let client = HTTPClient(configuration: configuration)
        try await body(origin, client)
        await client.expectEmptyTables()
        await client.shutdown()
        origin.stop()
    }

    @Test func `bytes files and streams arrive whole with their length`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        try Data(Self.large).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let chunks = HTTPBody([Array(Self.large[..<5]), Array(Self.large[5..<300_000]), Array(Self.large[300_000...])])
        let contents = [
            HTTPContent.bytes(Self.large), .file(at: file.path), .stream(byteCount: Self.large.count) { chunks },
            .stream { chunks },
        ]
        try await withRecorder { origin, client in
            for content in contents {
                let response = try await client.send(Self.request(origin, content)).collected(upTo: 1)
                expect(response.metrics.bytesSent, >=, Self.large.count)
            }
            expectEqual(origin.requests.map(\.method), ["PUT", "PUT", "PUT", "PUT"])
            let bodies = origin.requests.map { $0.body == Self.large }
            expectEqual(bodies, [true, true, true, true])
            let count = String(Self.large.count)
            expectEqual(origin.requests.map { $0.headers["Content-Length"] }, [count, count, count, nil])
            expectEqual(origin.requests.map { $0.headers["Expect"] }, [nil, nil, nil, nil])
        }
    }

    @Test func `a form with a file is streamed and its length is known`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString).bin")
        try Data(Self.large).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var form = MultipartForm(boundary: "B")
        form.append("t", name: "title")
        form.append(fileAt: file.path, name: "photo", type: "image/png")
        try await withRecorder { origin, client in
            _ = try await client.bytes(HTTPRequest(url: origin.url("/"), multipart: form))
            let request = try required(origin.requests.first)
            expectEqual(request.headers["Content-Type"], "multipart/form-data; boundary=B")
            expectEqual(request.headers["Content-Length"], String(request.body.count))
            let name = file.lastPathComponent
            let head =
                "--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt\r\n--B\r\nContent-Disposition: "
                + "form-data; name=\"photo\"; filename=\"\(name)\"\r\nContent-Type: image/png\r\n\r\n"
            let isWhole = request.body == Array(head.utf8) + Self.large + Array("\r\n--B--\r\n".utf8)
            expect(isWhole)
        }
    }

    @Test func `a content is sent again after a redirect and dropped by 303`() async throws {
        let made = Atomic(0)
        try await withOrigin { exchange in
            switch exchange.path {
            case "/307": exchange.respond(307, ["Location: /end"])
            case "/303": exchange.respond(303, ["Location: /end"])
            default: exchange.respond(body: Array(exchange.method.utf8) + exchange.body)
            }
        } _: { origin, client in
            let content = HTTPContent.stream(byteCount: 2) {
                made.add(1, ordering: .relaxed)
                return HTTPBody([[65], [66]])
            }
            let kept = try await client.bytes(Self.request(origin, content, path: "/307"))
            expectEqual(kept, Array("PUTAB".utf8))
            expectEqual(made.load(ordering: .relaxed), 2)
            let dropped = try await client.bytes(Self.request(origin, content, path: "/303"))
            expectEqual(dropped, Array("GET".utf8))
        }
    }

    @Test func `a stream of another length than announced fails the request, and what it throws ends it`()
        async throws
    {
        struct Broken: Error {}
        try await withRecorder { origin, client in
            for count in [1, 3] {
                let content = HTTPContent.stream(byteCount: count) { HTTPBody([[65], [66]]) }
                let error = await expectHTTPError(.invalidRequest, "\(count)") {
                    try await client.send(Self.request(origin, content))
                }
                expectEqual(error?.message.contains("not as long as announced"), true, "\(count)")
            }
        }
        try await withRecorder { origin, client in
            let content = HTTPContent.stream {
                AsyncThrowingStream<[UInt8], any Error> { continuation in
                    continuation.yield([1])
                    continuation.finish(throwing: Broken())
                }
            }
            let error = await expectHTTPError(.contentFailed) { try await client.send(Self.request(origin, content)) }
            expect(error?.cause is Broken)
            for path in ["/nowhere/file", "/tmp"] {
                await expectHTTPError(.invalidRequest, "\(path)") {
                    try await client.send(Self.request(origin, .file(at: path)))
                }
            }
            expectEqual(origin.requestCount, 0)
        }
    }

    @Test func `a request whose stream never ends is cancelled`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
        let asked = Gate()
        try await withOrigin(handler: { $0.respond() }) { origin, client in
            let content = HTTPContent.stream {
                asked.open()
                return chunks
            }
            let task = Task { try await client.send(Self.request(origin, content)) }
            await asked.pass()
            source.yield([1])
            task.cancel()
            await expectError(CancellationError.self) { try await task.value }
            expectEqual(origin.requestCount, 0)
        }
        source.finish()
    }

    @Test func `an origin that refuses a content ends it, while it waits and while it goes on`() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
        let piece = [UInt8](repeating: 0, count: 10_000)
        source.yield(piece)
        let endless = HTTPContent.stream { AsyncStream<[UInt8]> { piece } }
        for (row, content) in [.stream { chunks }, endless].enumerated() {
            var small = OriginServer.Configuration()
            small.maximumBodyByteCount = 1_000
            let origin = try OriginServer.start(configuration: small)
            defer { origin.stop() }
            let client = HTTPClient(configuration: .loopback)
            // Refused with 413 and a closed connection; whichever the client sees first, the request ends.
            let status = try? await client.send(Self.request(origin, content)).status
            expect([nil, 413].contains(status), "row \(row): \(String(describing: status))")
            if row == 1 { expectEqual(origin.refusedRequests, 1) }
            await client.expectEmptyTables()
            await client.shutdown()
        }
        source.finish()
    }

    @Test func `a stream that is slow is not the silence of the origin`() async throws {
        let pacing = try OriginServer.start()
        defer { pacing.stop() }
        pacing.respondToEverything { _ in OriginReply.ok([1]).delayed(by: .milliseconds(300)) }
        let pacer = HTTPClient(configuration: .loopback)
        let wait = HTTPRequest(url: pacing.url("/"))
        let content = HTTPContent.stream(byteCount: 2) {
            AsyncThrowingStream<[UInt8], any Error> { try await pacer.bytes(wait) }.prefix(2)
        }
        let limits = HTTPClient.Configuration.loopback {
            ($0.idleTimeout, $0.totalTimeout) = (.milliseconds(50), .seconds(20))
        }
        try await withRecorder(limits) { origin, client in
            let bytes = try await client.bytes(Self.request(origin, content))
            expectEqual(bytes, [1])
            expectEqual(origin.requests.map(\.body), [[1, 1]])
        }
        // What comes behind it is.
        try await withOrigin(limits, handler: { $0.waitForClose() }) { origin, client in
            let error = await expectHTTPError(.timedOut) { try await client.send(Self.request(origin, content)) }
            expectEqual(error?.message.contains("silent"), true)
        }
        await pacer.shutdown()
    }

    @Test func `a pipe holds a bounded number of bytes and wakes each side once`() async {
        let pipe = UploadPipe()
        let wakes = Atomic(0)
        let wake = { @Sendable in _ = wakes.add(1, ordering: .relaxed) }
        guard case .nothing = pipe.take(upTo: 10, wake: wake) else { return expect(Bool(false), "there are bytes") }
        let isTaken = await pipe.write([1, 2, 3])
        expect(isTaken)
        expectEqual(wakes.load(ordering: .relaxed), 1)
        guard case .bytes(let first) = pipe.take(upTo: 2, wake: wake) else { return expect(Bool(false), "no bytes") }
        expectEqual(first, [1, 2])
        // A writer with a full pipe waits until bytes are taken.
        let writer = Task { await pipe.write([UInt8](repeating: 0, count: UploadPipe.highWaterMark)) }
        var count = 0
        while count < UploadPipe.highWaterMark + 1 {
            if case .bytes(let bytes) = pipe.take(upTo: 50_000, wake: wake) { count += bytes.count }
            await Task.yield()
        }
        await expect(writer.value)
        // And one whose transfer ends is told so.
        let late = Task { await pipe.write([UInt8](repeating: 0, count: 2 * UploadPipe.highWaterMark)) }
        pipe.close()
        await expect(!late.value)
        // However often a little is taken, a writer waits for as long as the pipe is full.
        let full = UploadPipe()
        let written = Atomic(0)
        let ahead = Task {
            while await full.write([UInt8](repeating: 0, count: 2 * UploadPipe.highWaterMark)) {
                written.add(1, ordering: .relaxed)
            }
        }
        for _ in 0..<200 {
            _ = full.take(upTo: 1, wake: wake)
            await Task.yield()
        }
        expectEqual(written.load(ordering: .relaxed), 0)
        full.close()
        await ahead.value
    }

    @Test func `a content is sent anew when a kept connection ends under it, and a stream is not`() async throws {
        let ends = Atomic(false)
        try await withOrigin { exchange in
            ends.exchange(false, ordering: .relaxed) ? exchange.close() : exchange.respond(body: [1])
        } _: { origin, client in
            for content in [
                HTTPContent.bytes(Self.large), .stream(byteCount: 1) { HTTPBody([[7]]) }, .stream { HTTPBody([[7]]) },
            ] {
                _ = try await client.bytes(HTTPRequest(url: origin.url("/")))
                ends.store(true, ordering: .relaxed)
                if case .bytes = content.source {
                    try await expectEqual(client.bytes(Self.request(origin, content)), [1])
                    let bodies = origin.requests.suffix(2).map { $0.body == Self.large }
                    expectEqual(bodies, [true, true])
                } else {
                    await expectHTTPError(.connectionLost) { try await client.send(Self.request(origin, content)) }
                }
            }
            // Neither stream was sent on without its beginning.
            expectEqual(origin.requestCount, 7)
        }
    }
}
