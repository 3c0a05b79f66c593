// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Without a disk cache, memory keeps the file of an original, so that another variant needs no second transfer.
@Suite(.balanced, .timeLimit(.minutes(1))) struct OriginalInMemoryTests {
    private static func variant(_ side: Int, of number: Int = 1) -> ImageRequest {
        var request = ImageRequest.numbered(number)
        request.transformers = [ResizeTransformer(size: PixelSize(width: side, height: side))]
        return request
    }

    @Test(arguments: seeds)
    func `variants of one original share a transfer, in any order, until the picture is removed`(seed: UInt64) throws {
        // Variants of one original share one transfer, in any order.
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let first = staged.loadInTurn(Self.variant(8))
        expectEqual(first.value?.source, .network)
        for request in [Self.variant(4), .numbered(1), Self.variant(2)] {
            let next = staged.loadInTurn(request)
            expectEqual(next.value?.source, .memory)
        }
        let file = staged.dataInTurn(Self.variant(3), as: .png)
        expectEqual(file.value?.source, .memory)
        expectEqual(staged.transport.requests.count, 1)

        // Removing the picture removes it, too.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false)
            staged.loadInTurn(Self.variant(8))
            let removal = staged.start { try await $0.remove(.numbered(1)) }
            staged.run()
            expect(removal.value != nil)
            let next = staged.loadInTurn(Self.variant(4))
            expectEqual(next.value?.source, .network)
            expectEqual(staged.manager.memoryStatistics.count, 2)
        }
    }

    @Test(arguments: seeds)
    func `it is read and kept where the request allows it, and never for a reload`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, hasDisk: false)
        var request = Self.variant(8)
        request.cacheWrites.original = .disk
        staged.loadInTurn(request)
        let second = staged.loadInTurn(Self.variant(4))
        expectEqual(second.value?.source, .network)
        var third = Self.variant(5)
        third.cacheReads.original = .disk
        let unread = staged.loadInTurn(third)
        expectEqual(unread.value?.source, .network)
        var fourth = Self.variant(4)
        fourth.cachePolicy = .reload
        let reloaded = staged.loadInTurn(fourth)
        expectEqual(reloaded.value?.source, .network)
        expectEqual(staged.transport.requests.count, 4)
    }

    @Test(arguments: seeds)
    func `a newer transfer replaces it, unless that writes nothing to memory, and what is made later is of the newer`(
        seed: UInt64
    ) throws {
        // A newer transfer replaces it, and what is made later is of the newer.
        let staged = try StagedManager.counting(seed: seed)
        staged.loadInTurn(Self.variant(8))
        var reload = Self.variant(4)
        reload.cachePolicy = .reload
        staged.loadInTurn(reload)
        let whole = staged.loadInTurn(.numbered(1))
        expectEqual((whole.value?.image).flatMap { ImageFactory.seed(of: $0) }, 2)
        expectEqual(staged.transport.requests.count, 2)

        // A request that writes nothing to memory removes nothing from it either.
        do {
            let staged = try StagedManager.counting(seed: seed)
            staged.loadInTurn(.numbered(1))
            var visitor = ImageRequest.numbered(1)
            visitor.cachePolicy = .reload
            visitor.cacheWrites = .none
            let brought = staged.loadInTurn(visitor)
            expectEqual((brought.value?.image).flatMap { ImageFactory.seed(of: $0) }, 2)
            let held = staged.loadInTurn(.numbered(1))
            expectEqual((held.value?.image).flatMap { ImageFactory.seed(of: $0) }, 1)
            expectEqual(held.value?.source, .memory)
        }
    }
}
