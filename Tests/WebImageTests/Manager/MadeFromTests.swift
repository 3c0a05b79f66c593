// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What is known of an original on each way from it to a picture or a file.
@Suite(.balanced, .timeLimit(.minutes(1))) struct MadeFromTests {
    private static func crop(_ side: Int) -> any ImageTransforming {
        .crop(to: PixelRect(x: 0, y: 0, width: side, height: side))
    }

    private static func staged(
        _ seed: UInt64, _ file: [UInt8], _ change: (inout ImageManager.Configuration) -> Void = { _ in }
    ) throws -> StagedManager {
        var configuration = ImageManager.Configuration.unchanged
        change(&configuration)
        return try StagedManager(seed: seed, configuration: configuration) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([file]))
        }
    }

    @Test(arguments: Seeds.first(5))
    func `a file stays lossless when it is made of a picture in memory, or of a stored beginning`(seed: UInt64) throws {
        let original = try ImageFactory.encoded(width: 16, height: 16, seed: 1, as: .losslessWebP)
        let staged = try Self.staged(seed, original)
        func isLossless(_ sides: Int...) throws -> Bool {
            let request = ImageRequest.numbered(1, transformers: sides.map(Self.crop))
            let file = try required(staged.dataInTurn(request, as: .original).value)
            return try ImageCoders.default.properties(of: file.bytes).isLossless
        }
        // Of the whole picture in memory, and of a beginning there.
        staged.loadInTurn(.numbered(1))
        try expect(isLossless(12))
        staged.loadInTurn(.numbered(1, transformers: [Self.crop(12)]))
        try expect(isLossless(12, 8))
        // Of a beginning on disk, without its original.
        let removal = staged.start { try await $0.diskCache?.remove(ImageRequest.numbered(1).originalKey) }
        staged.emptyMemory()
        expect(removal.error == nil)
        try expect(isLossless(12, 4))
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test func `a file has as many frames as it says, whatever it was made of`() throws {
        let animation = try ImageFactory.encodedAnimation(width: 8, height: 8, frames: 3, seed: 1, as: .gif)
        let staged = try Self.staged(1, animation)
        for round in 0..<3 {
            if round == 2 { staged.emptyMemory() }
            expectEqual(
                [OutputFormat.jpeg(), .gif].map { staged.dataInTurn(.numbered(1), as: $0).value?.frameCount }, [1, 3])
            staged.loadInTurn(.numbered(1))
        }

        // A JPEG stays one, of a quality that is named.
        let photo = try Self.staged(1, ImageFactory.encoded(width: 16, height: 16, seed: 1, as: .jpeg()))
        let cropped = ImageRequest.numbered(1, transformers: [Self.crop(12)])
        let picture = try required(photo.loadInTurn(cropped).value).image
        let file = photo.dataInTurn(cropped, as: .original).value
        try expectEqual(file?.bytes, ImageCoders.default.encode(picture, as: .jpeg(quality: 85)))
    }

    @Test(arguments: [(15, 1), (16, 2)])
    func `the disk keeps a variant of as many pixels as it may have`(limit: Int, count: Int) throws {
        let staged = try Self.staged(1, Pictures.png(1)) { $0.variantStorage.maximumPixelCount = limit }
        staged.loadInTurn(.numbered(1, transformers: [Self.crop(4)]))
        expectEqual(staged.fileCount, count)
    }
}
