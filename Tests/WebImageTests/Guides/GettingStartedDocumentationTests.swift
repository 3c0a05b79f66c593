// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Getting started", word for word.
@Suite(.timeLimit(.minutes(1))) struct GettingStartedDocumentationTests {
    @Test func `a picture, and a thumbnail of it in a file`() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.path + "/thumbnail.webp")
        try await Example.withPhoto { configuration, url, origin in
            let image = try await withImageManager(configuration) { manager in
                try await manager.image(from: url)
            }
            let manager = ImageManager(configuration: configuration)

            let box = PixelSize(width: 320, height: 320)
            let request = ImageRequest(url, transformers: [.resize(to: box)])
            let thumbnail = try await manager.encodedImage(
                for: request, as: .webp(quality: 80))
            try Data(thumbnail.bytes).write(to: file)

            let report = await manager.shutdown(within: .seconds(10))
            #expect(image.width == 400)
            #expect(thumbnail.width == 320)
            let written = try Data(contentsOf: file)
            #expect(ImageFormat(sniffing: [UInt8](written)) == .webp)
            expect(report.isClean)
            #expect(origin.requestCount(for: "/photo.jpg") == 2)
        }
    }

    private struct Dimmed: ImageTransforming {
        let percent: Int
        var key: String { "dimmed(\(percent))" }

        func transform(_ image: DecodedImage) throws -> DecodedImage {
            try image.mapFrames { pixels in
                pixels.indices.map { index in
                    let part = index % 4 == 3 ? 100 : percent
                    return UInt8(Int(pixels[index]) * part / 100)
                }
            }
        }
    }

    @Test func `pixels that the program changes itself`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            // swift-format-ignore
            let negative = ImageRequest(url, transformers: [
                .custom(key: "negative") { image in
                    try image.mapFrames { pixels in
                        pixels.indices.map { index in
                            let alpha = pixels[index | 3]
                            return index % 4 == 3 ? alpha : alpha - pixels[index]
                        }
                    }
                }
            ])
            let (plain, other, dark) = try await withImageManager(configuration) { manager in
                let dimmed = ImageRequest(url, transformers: [Dimmed(percent: 50)])
                return try await (
                    manager.image(from: url), manager.image(for: negative), manager.image(for: dimmed)
                )
            }
            expectEqual(other.pixels[1], 255 - plain.pixels[1])
            expectEqual(dark.pixels[1], plain.pixels[1] / 2)
            expectEqual(dark.size, plain.size)
        }
    }

    @Test func `what memory has, and the steps of a load`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var shown: [DecodedImage] = []
            var fractions: [Double] = []
            func show(_ image: DecodedImage) { shown.append(image) }
            func showProgress(_ fraction: Double) { fractions.append(fraction) }

            try await withImageManager(configuration) { manager in
                let request = ImageRequest(url)
                #expect(manager.peek(request) == nil)
                for _ in 1...2 {
                    if let image = manager.peek(request) {
                        show(image)
                    } else {
                        for try await event in manager.events(for: request) {
                            switch event {
                            case .progress(let progress): showProgress(progress.fraction ?? 0)
                            case .preview(let image): show(image)
                            case .cached(let response), .finished(let response):
                                show(response.image)
                            }
                        }
                    }
                }
            }
            #expect(shown.map(\.width) == [400, 400])
            #expect(fractions.last == 1)
        }
    }

    @Test func `many pictures as they come`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            let requests = [ImageRequest(url), ImageRequest(origin.url("/missing.jpg"))]
            var (loaded, failed): ([Int], [Int]) = ([], [])

            await withImageManager(configuration) { manager in
                for await outcome in manager.images(for: requests, atOnce: 8) {
                    switch outcome.result {
                    case .success: loaded.append(outcome.index)
                    case .failure(let error):
                        failed.append(outcome.index)
                        print("\(outcome.request.url): \(error)")
                    }
                }
            }
            #expect(loaded == [0])
            #expect(failed == [1])
        }
    }
}
