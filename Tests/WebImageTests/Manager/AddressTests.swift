// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What concerns all variants of one address.
@Suite(.balanced, .timeLimit(.minutes(1))) struct AddressTests {
    private static func resized(_ number: Int, to side: Int, _ others: any ImageTransforming...) -> ImageRequest {
        .numbered(number, transformers: [.resize(to: PixelSize(width: side, height: side))] + others)
    }

    @Test(arguments: seeds)
    func `the loads of an address are cancelled, pictures and files of any size, and no other`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, hasDisk: false)
        let pictures = [ImageRequest.numbered(1), Self.resized(1, to: 4)].map { staged.load($0) }
        let (file, other) = (staged.data(.numbered(1), as: .jpeg()), staged.load(.numbered(2)))
        staged.run(without: .pixels)
        staged.manager.cancelLoads(of: Self.resized(1, to: 2))
        staged.run()
        expectAll(pictures.allSatisfy { $0.wasCancelled }, file.wasCancelled, other.value != nil, staged.isAtRest)
        let again = staged.loadInTurn(.numbered(1))
        expect(again.value != nil)
    }

    @Test func `the largest picture of an address stands for one of any size, if all else that is done to it agrees`() {
        let scenario = ManagerScenario(seed: 1)
        let manager = scenario.manager
        func side(_ request: ImageRequest) -> Int? { manager.peekAnySize(request)?.width }
        expectNil(side(.numbered(1)))
        for side in [2, 8, 4] { _ = scenario.loadInTurn(Self.resized(1, to: side)) }
        expectEqual([side(.numbered(1)), side(Self.resized(1, to: 16))], [8, 8])
        _ = scenario.loadInTurn(1)
        expectEqual(side(Self.resized(1, to: 4)), 16)
        expectNil(side(Self.resized(2, to: 4)))

        // A blurred picture has no placeholder that shows more, and a plain one none that shows less.
        let blurred = Self.resized(1, to: 2, .blur(sigma: 1))
        expectNil(side(blurred))
        _ = scenario.loadInTurn(Self.resized(1, to: 3, .blur(sigma: 1)))
        expectEqual([side(blurred), side(Self.resized(1, to: 4))], [3, 16])
        expectNil(side(Self.resized(1, to: 2, .blur(sigma: 2))))
        // Nor is a picture of another decoding the same.
        var first = ImageRequest.numbered(1)
        first.firstFrameOnly = true
        expectNil(side(first))
    }
}
