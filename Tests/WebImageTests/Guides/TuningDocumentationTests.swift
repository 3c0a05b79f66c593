// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Tuning", word for word.
@Suite(.timeLimit(.minutes(1))) struct TuningDocumentationTests {
    @Test func `the stages of a load, and the hits of memory`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var lines: [String] = []
            try await withImageManager(configuration) { manager in
                let request = ImageRequest(url)
                _ = try await manager.image(for: ImageRequest(url, transformers: [.grayscale]))

                let response = try await manager.load(request)
                let stages = response.metrics
                lines.append(
                    "download \(stages.download ?? .zero), "
                        + "decode \(stages.decode ?? .zero)")
                let memory = manager.memoryStatistics
                lines.append(
                    "\(memory.hits) of \(memory.hits + memory.misses) in memory, "
                        + "\(memory.evictions) evicted")
            }
            #expect(lines.count == 2)
            #expect(lines[1].hasSuffix(" 0 evicted"))
        }
    }

    @Test func `a thumbnail is decoded small`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            try await withImageManager(configuration) { manager in
                let box = PixelSize(width: 100, height: 100)
                let fast = ImageRequest(url, transformers: [.resize(to: box), .grayscale])
                let slow = ImageRequest(url, transformers: [.grayscale, .resize(to: box)])
                let (one, other) = (try await manager.image(for: fast), try await manager.image(for: slow))
                #expect(one.size == other.size)
            }
        }
    }

    @Test func `prefetching gives way to loads`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            try await withImageManager(configuration) { manager in
                let urls = [url]
                let prefetcher = ImagePrefetcher(manager: manager)
                let token = await prefetcher.start(urls)
                let report = try await token.waitUntilOver()
                #expect(report.progress.finishedCount == 1)
                expect(manager.peek(ImageRequest(url)) != nil)
            }
        }
    }
}
