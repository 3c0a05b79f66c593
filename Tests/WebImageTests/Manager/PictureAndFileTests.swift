// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The views of one original in memory: the picture, the file, or both.
@Suite(.balanced, .timeLimit(.minutes(1))) struct PictureAndFileTests {
    private static func seed(_ image: DecodedImage?) -> Int? { image.flatMap { ImageFactory.seed(of: $0) } }

    @Test(arguments: [false, true], seeds)
    func `a picture and its file are in memory together, in any order of loads`(hasDisk: Bool, seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, hasDisk: hasDisk)
        for turn in 0..<10 {
            let picture = staged.loadInTurn(.numbered(1))
            let file = staged.dataInTurn(.numbered(1), as: .original)
            expectEqual(file.value?.bytes, (try Pictures.png(1)))
            guard turn > 0 else { continue }
            expectEqual(picture.value?.source, .memory)
            expectEqual(file.value?.source, .memory)
        }
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test(arguments: [false, true], fewerSeeds)
    func `a load of a file keeps the file in memory, and no pixels`(isOriginal: Bool, seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let request = ImageRequest.numbered(
            1, transformers: isOriginal ? [] : [.resize(to: PixelSize(width: 8, height: 8))])
        let file = staged.dataInTurn(request, as: isOriginal ? .original : .jpeg())
        let bytes = file.value?.bytes.count ?? .max
        expectNil(staged.manager.peek(request))
        expectEqual(staged.manager.memoryStatistics.count, 1)
        expect(staged.manager.memoryStatistics.cost, >=, bytes)
        let again = staged.dataInTurn(request, as: isOriginal ? .original : .jpeg())
        expectEqual(again.value?.source, .memory)
    }

    @Test func `the threads for pictures have the same right to the processor as others, unless asked otherwise`()
        async throws
    {
        expectEqual(ImageManager.Configuration().processingNiceness, 0)
        let found = Journal<CInt>()
        for asked in [0, 7, -1] {
            var configuration = ImageManager.Configuration()
            (configuration.disk, configuration.processingNiceness) = (nil, asked)
            let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
            let look = CustomTransformer(key: "look") { picture in
                found.write(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0))
                return picture
            }
            _ = try await manager.load(.numbered(1, transformers: [look]))
            _ = await manager.shutdown(within: .seconds(60))
        }
        let base = found.entries.first ?? 0
        expectEqual(found.entries, [base, min(19, base + 7), base])
    }

    @Test(arguments: [false, true], seeds)
    func `a peek finds the picture that was decoded for its file, if the manager keeps such pictures`(
        wasLoaded: Bool, seed: UInt64
    ) throws {
        var configuration = ImageManager.Configuration()
        configuration.keepsPicturesOfFiles = true
        let staged = try StagedManager(seed: seed, hasDisk: false, configuration: configuration)
        if wasLoaded { _ = staged.load(.numbered(1)) }
        staged.run()
        let file = staged.dataInTurn(.numbered(1), as: .original)
        expectAll(file.value != nil, Self.seed(staged.manager.peek(.numbered(1))) == 1)
        let picture = staged.loadInTurn(.numbered(1))
        expectEqual(picture.value?.source, .memory)
    }

    @Test(arguments: [false, true], fewerSeeds)
    func `content that comes again leaves what was made of it in memory, and a newer picture removes the older file`(
        hasDisk: Bool, seed: UInt64
    ) throws {
        // A newer picture removes the older file from memory.
        let staged = try StagedManager.counting(seed: seed, hasDisk: hasDisk)
        staged.dataInTurn(.numbered(1), as: .original)
        var reload = ImageRequest.numbered(1)
        reload.cachePolicy = .reload
        let newer = staged.loadInTurn(reload)
        let file = staged.dataInTurn(.numbered(1), as: .original)
        expectEqual(Self.seed(newer.value?.image), 2)
        expectEqual(file.value?.bytes, (try Pictures.png(2)))

        // Content that comes again leaves what was made of it in memory.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false)
            var small = ImageRequest.numbered(1)
            small.transformers = [.resize(to: PixelSize(width: 2, height: 2), mode: .fit)]
            staged.loadInTurn(small)
            var reload = ImageRequest.numbered(1)
            reload.cachePolicy = .reload
            let again = staged.loadInTurn(reload)
            expectEqual(again.value?.source, .network)
            expectEqual(staged.manager.peek(small)?.width, 2)
        }
    }

    @Test(arguments: seeds) func `a newer file removes the older picture from memory`(seed: UInt64) throws {
        let staged = try StagedManager.counting(seed: seed)
        staged.loadInTurn(.numbered(1))
        var fileOnly = ImageRequest.numbered(1)
        fileOnly.cachePolicy = .reload
        fileOnly.cacheWrites.variant = []
        let file = staged.dataInTurn(fileOnly, as: .original)
        expectEqual(file.value?.bytes, (try Pictures.png(2)))
        expectNil(staged.manager.peek(.numbered(1)))
        let next = staged.dataInTurn(.numbered(1), as: .original)
        expectEqual(next.value?.source, .memory)
        expectEqual(next.value?.bytes, file.value?.bytes)
    }
}
