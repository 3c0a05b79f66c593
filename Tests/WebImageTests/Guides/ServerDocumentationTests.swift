// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Loading on a server", word for word.
@Suite(.timeLimit(.minutes(1))) struct ServerDocumentationTests {
    @Test func `limits for a service`() async throws {
        try await Example.withPhoto { reachable, url, _ in
            var configuration = reachable
            configuration.downloader.maximumConcurrentDownloads = 24
            configuration.downloader.maximumByteCount = 20_000_000
            configuration.downloader.queueTimeout = .seconds(5)
            configuration.downloader.maximumQueueLength = 1_000
            configuration.transport.connectTimeout = .seconds(3)
            configuration.transport.totalTimeout = .seconds(20)
            configuration.limits.maximumPixelCount = 30_000_000
            configuration.maximumProcessingQueueLength = 1_000

            let image = try await withImageManager(configuration) { try await $0.image(from: url) }
            #expect(image.width == 400)
        }
    }

    @Test func `a manager lives as long as its service`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            @Sendable func serve(_ manager: ImageManager) async throws {
                _ = try await manager.image(from: url)
                throw CancellationError()
            }
            let manager = ImageManager(configuration: configuration)
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await manager.run() }
                    group.addTask { try await serve(manager) }
                    try await group.next()
                    group.cancelAll()
                }
            }
            let report = await manager.shutdown(within: .seconds(10))
            expect(report.isClean)
        }
    }

    @Test func `a handler answers with a status and a tag`() async throws {
        struct Reply {
            var status: Int
            var fields: [String: String] = [:]
            var body: [UInt8] = []
        }
        func answer(_ url: URL, _ manager: ImageManager) async throws -> Reply {
            let box = PixelSize(width: 320, height: 320)
            let request = ImageRequest(url, transformers: [.resize(to: box)])
            do {
                let file = try await manager.encodedImage(
                    for: request, as: .webp(quality: 80))
                let fields = ["Content-Type": file.contentType]
                return Reply(status: 200, fields: fields, body: file.bytes)
            } catch let error as ImageLoadError {
                let fields = error.isRetryable ? ["Retry-After": "5"] : [:]
                let body = Array(error.publicMessage.utf8)
                return Reply(
                    status: error.suggestedHTTPStatus, fields: fields, body: body)
            }
        }
        try await Example.withPhoto { configuration, url, origin in
            let replies = try await withImageManager(configuration) { manager in
                [try await answer(url, manager), try await answer(origin.url("/missing.jpg"), manager)]
            }
            #expect(replies.map(\.status) == [200, 404])
            #expect(replies[0].fields["Content-Type"] == "image/webp")
        }
    }

    @Test func `each tenant has caches of its own`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            var tenants: [String: ImageCaches] = [:]
            func request(_ url: URL, for tenant: String) -> ImageRequest {
                let limits = MemoryLimits(maximumCost: 50_000_000)
                let caches = tenants[tenant] ?? ImageCaches(memory: limits)
                tenants[tenant] = caches
                var request = ImageRequest(url)
                request.caches = Identified(identity: tenant, caches)
                return request
            }
            try await withImageManager(configuration) { manager in
                _ = try await manager.image(for: request(url, for: "red"))
                #expect(try await manager.contains(request(url, for: "red")) == .memory)
                #expect(try await manager.contains(request(url, for: "blue")) == [])
            }
            for caches in tenants.values { await caches.shutdown(within: .seconds(5)) }
            #expect(origin.requestCount(for: "/photo.jpg") == 1)
        }
    }

    @Test func `what a manager is busy with`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var lines: [String] = []
            try await withImageManager(configuration) { manager in
                _ = try await manager.image(from: url)
                _ = try await manager.image(from: url)

                let (counters, occupancy) = (manager.counters, await manager.occupancy)
                lines.append(
                    "\(counters.requests) calls, \(counters.downloads) downloads, "
                        + "\(counters.failed) failed")
                lines.append(
                    "\(occupancy.queuedDownloads) queued, "
                        + "\(occupancy.runningWork) decoding")
            }
            #expect(lines == ["2 calls, 1 downloads, 0 failed", "0 queued, 0 decoding"])
        }
    }
}
