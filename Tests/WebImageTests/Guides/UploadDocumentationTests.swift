// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "An upload becomes three thumbnails", word for word.
@Suite(.timeLimit(.minutes(1))) struct UploadDocumentationTests {
    /// The answer of a server, as the guide names it.
    struct Reply: Equatable {
        var status: Int
        var text: String
    }

    @Test func `a handler makes three thumbnails, and says what is wrong with an upload`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }

        func receive(_ upload: [UInt8], _ manager: ImageManager) async -> Reply {
            do {
                let files = try await manager.encodedImages(
                    of: upload, as: [.webp(320), .webp(640), .jpeg(1_200)])
                for (name, file) in zip(["small", "large", "link"], files) {
                    let place = folder.appending(
                        path: "\(name).\(file.format.fileExtension)")
                    try Data(file.bytes).write(to: place)
                }
                return Reply(status: 201, text: "Three thumbnails.")
            } catch let error as ImageLoadError {
                return Reply(
                    status: error.suggestedHTTPStatus,
                    text: error.publicMessage)
            } catch {
                return Reply(status: 500, text: "Try again later.")
            }
        }
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.downloader.maximumByteCount = 20_000_000
        configuration.limits.maximumPixelCount = 50_000_000
        let photo = try Example.photo.get()
        let replies = await withImageManager(configuration) { manager in
            var replies: [Reply] = []
            for upload in [photo, Array("hello".utf8), Array(photo.prefix(photo.count / 2))] {
                replies.append(await receive(upload, manager))
            }
            return replies
        }
        expectEqual(replies.map(\.status), [201, 415, 422])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        expectEqual(names, ["large.webp", "link.jpg", "small.webp"])
    }

    @Test func `a file and a list take the same way`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "photos-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let paths = (1...3).map { folder.appending(path: "\($0).jpg").path }
        for path in paths { try Data(Example.photo.get()).write(to: URL(filePath: path)) }
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        var widths: [Int] = []
        await withImageManager(configuration) { manager in
            let requests = paths.lazy.map { ImageRequest(file: $0) }
            let batch = manager.encodedImages(
                for: requests, as: .webp(320), atOnce: 4)
            for await outcome in batch {
                if let file = try? outcome.result.get() { widths.append(file.width) }
            }
        }
        expectEqual(widths, [320, 320, 320])
    }

    @Test func `caches are there when asked`() async throws {
        let upload = try Example.photo.get()
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        try await withImageManager(configuration) { manager in
            var request = ImageRequest(bytes: upload, priority: .high)
            request.cacheReads = .all
            request.cacheWrites = .all
            let files = try await manager.encodedImages(
                for: request, as: [.webp(320), .jpeg(1_200)])
            expectEqual(files.map(\.width), [320, 400])
            try await expectEqual(manager.encodedImage(for: request, as: .webp(320)).source, .memory)
        }
    }
}
