// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Handlers of progress on real threads: each may block, and blocks its own caller alone.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ProgressHandlerTests {
    /// Blocks a thread until the test releases it. It gives up after a long time, so that a defect is a failure and not
    /// a hang.
    private final class Blocker: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private let arrivals = Journal<Bool>()

        var count: Int { arrivals.count }

        func block() {
            arrivals.write(true)
            if semaphore.wait(timeout: .now() + 20) == .timedOut { Issue.record("the handler was held for too long") }
        }

        func release() { semaphore.signal() }
    }

    private static func manager(_ answer: @escaping StubTransport.Answer = HTTPResponse.picture) -> ImageManager {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.downloader.maximumConcurrentDownloads = 1_000
        return ImageManager(configuration: configuration, transport: StubTransport(answer))
    }

    @Test(arguments: [true, false])
    func `handlers that block do not keep an unrelated load from its picture`(isDirect: Bool) async throws {
        let (manager, blocker) = (Self.manager(), Blocker())
        // More than there are threads in the pool of the process, and 8 at least.
        let count = max(8, 4 * ProcessInfo.processInfo.activeProcessorCount)
        let callers = (0..<count).map { number in
            Task {
                if isDirect {
                    _ = try await manager.downloader.download(.numbered(number)) { _ in blocker.block() }
                } else {
                    _ = try await manager.encodedImage(for: .numbered(number)) { _ in blocker.block() }
                }
            }
        }
        while blocker.count < count { await Task.yield() }
        let unrelated = try await manager.load(.numbered(1_000))
        #expect(unrelated.source == .network)
        // Each is told at most twice: a picture comes in two pieces.
        for _ in 0..<2 * count { blocker.release() }
        for caller in callers { try await caller.value }
        #expect(await manager.shutdown(within: .seconds(60)).isClean)
    }

    @Test func `reports come in order, the last one before the call returns, and none after`() async throws {
        let bytes = try ImageFactory.encoded(width: 64, height: 64, seed: 1, as: .png)
        let manager = Self.manager { request in
            let pieces = stride(from: 0, to: bytes.count, by: 10).map {
                Array(bytes[$0..<min($0 + 10, bytes.count)])
            }
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(pieces))
        }
        for round in 0..<50 {
            let counts = Journal<Int>()
            var request = ImageRequest.numbered(1)
            request.cachePolicy = .reload
            if round.isMultiple(of: 2) {
                _ = try await manager.encodedImage(for: request) { counts.write($0.receivedByteCount) }
            } else {
                _ = try await manager.downloader.download(request) { counts.write($0.receivedByteCount) }
            }
            let told = counts.entries
            #expect(told == told.sorted() && told.last == bytes.count)
        }
        #expect(await manager.shutdown(within: .seconds(60)).isClean)
    }

    @Test func `a handler runs in its caller's task`() async throws {
        let (manager, names) = (Self.manager(), Journal<String>())
        try await Tenant.$name.withValue("one") {
            _ = try await manager.encodedImage(for: .numbered(1)) { _ in names.write(Tenant.name) }
        }
        #expect(names.count > 0 && names.entries.allSatisfy { $0 == "one" })
        #expect(await manager.shutdown(within: .seconds(60)).isClean)
    }
}

private enum Tenant {
    @TaskLocal static var name = "none"
}
