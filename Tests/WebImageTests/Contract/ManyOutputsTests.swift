// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// One picture as several files in one call.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ManyOutputsTests {
    private static let formats: [OutputFormat] = [.webp(8), .webp(16), .jpeg(12), .png, .webp(8)]

    @Test(arguments: [true, false], fewerSeeds)
    func `three sizes are one decode, in the order of the formats`(isOwn: Bool, seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let bytes = try Pictures.png(7, side: 32)
        let request = isOwn ? ImageRequest(bytes: bytes) : .numbered(7)
        let caller = staged.start { try await $0.encodedImages(for: request, as: Self.formats) }
        staged.run(without: .pixels)
        staged.run()
        let side = isOwn ? 32 : 16
        expectEqual(caller.value?.map(\.width), [8, 16, 12, side, 8])
        expectEqual(caller.value?.map(\.format), [.webp, .webp, .jpeg, .png, .webp])
        expectEqual(staged.coder.decodes, 1)
        expectEqual(staged.coder.encodes, 4, "equal formats are one file")
        expectEqual(staged.transport.requests.count, isOwn ? 0 : 1)
        expect(staged.isAtRest)
    }

    @Test(arguments: fewerSeeds)
    func `the first failure ends the call and its loads, and so does a cancellation at any step`(seed: UInt64) throws {
        let bytes = try Pictures.png(7, side: 32)
        let staged = try StagedManager(seed: seed)
        let failing = staged.start { try await $0.encodedImages(of: bytes, as: Self.formats + [.webp(0)]) }
        staged.run()
        expectEqual((failing.error as? ImageLoadError)?.suggestedHTTPStatus, 400)
        expect(staged.isAtRest)

        let caller = staged.start { try await $0.encodedImages(of: bytes, as: Self.formats) }
        staged.runSome(upTo: 100)
        caller.cancel()
        staged.run()
        expectAll(caller.wasCancelled || caller.value?.count == 5, staged.isAtRest)
        let none = staged.start { try await $0.encodedImages(of: bytes, as: []) }
        staged.run()
        expectEqual(none.value?.count, 0)
    }

    @Test func `hashes are files like others, made in the same decode and kept on disk`() throws {
        let staged = try StagedManager(seed: 1)
        let formats: [OutputFormat] = [.blurHash, .jpeg(12), .thumbHash]
        let caller = staged.start { try await $0.encodedImages(for: .numbered(7), as: formats) }
        staged.run(without: .pixels)
        staged.run()
        expectEqual(staged.coder.decodes, 1)
        let files = try required(caller.value)
        let picture = try required(staged.loadInTurn(.numbered(7)).value?.image)
        expectEqual(files[0].bytes, Array(try BlurHash(of: picture).text.utf8))
        expectEqual(files[2].bytes, try ThumbHash(of: picture).bytes)
        expectEqual(files.map(\.format), [.blurHash, .jpeg, .thumbHash])
        let again = staged.dataInTurn(.numbered(7), as: .thumbHash)
        expectEqual(again.value?.bytes, files[2].bytes)
        expectEqual(staged.coder.decodes, 2, "one for the picture that is compared")
        expect(staged.isAtRest)
    }

    @Test func `the box of a format is a last transformer, by whatever name it is asked for`() throws {
        let box = PixelSize(width: 8, height: 8)
        let request = ImageRequest.numbered(7)
        let fitted = request.fitted(for: .webp(8))
        expectEqual(fitted.transformers.map(\.key), [ResizeTransformer(size: box).key])
        expectEqual(fitted.fitted(for: .webp(8)).transformers.count, 1)
        expectEqual(request.fileKey(.webp(8)), fitted.fileKey(.webp(8)))
        let names = [OutputFormat.webp(8), .webp(9), .webp(8, quality: 70), .webp(), .jpeg(8)].map {
            request.fileKey($0)
        }
        expectEqual(Set(names).count, 5)

        // What a hook has made of the transformers is fitted, too.
        var configuration = ImageManager.Configuration.unchanged
        configuration.hooks.requestProcessor = { request in
            var request = request
            request.transformers = [.rotate(degrees: 90)]
            return request
        }
        let staged = try StagedManager(seed: 1, configuration: configuration)
        expectEqual(staged.dataInTurn(request, as: .webp(8)).value?.width, 8)

        // The picture is decoded at the size of the box.
        configuration.hooks.requestProcessor = nil
        configuration.keepsPicturesOfFiles = true
        let keeping = try StagedManager(seed: 1, configuration: configuration)
        keeping.dataInTurn(request, as: .webp(8))
        expectEqual(keeping.manager.peek(fitted)?.width, 8)
    }
}
