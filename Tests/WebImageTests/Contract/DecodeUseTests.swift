// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// How a file is decoded for a request. See `Tests/Upstream.md`.
@Suite(.balanced, .timeLimit(.minutes(1))) struct DecodeUseTests {
    @Test(arguments: fewerSeeds)
    func `a picture above the byte budget of its request comes smaller, under a name of its own`(seed: UInt64) throws {
        // The gate makes both loads share one transfer.
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        var request = ImageRequest.numbered(1)
        request.byteBudget = 8 * 8 * 4
        let (small, whole) = (staged.load(request), staged.load(.numbered(1)))
        staged.run()
        staged.open(gate)
        expectEqual([small.value?.image.width, small.value?.image.height, whole.value?.image.width], [8, 8, 16])
        expectEqual([staged.manager.peek(request)?.width, staged.manager.peek(.numbered(1))?.width], [8, 16])
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test(arguments: fewerSeeds) func `a picture has the scale that its request gives it`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        var request = ImageRequest.numbered(1, transformers: [.resize(to: PixelSize(width: 4, height: 4))])
        request.scale = 2
        for source in [ImageSource.network, .memory, .disk] {
            if source == .disk { staged.emptyMemory() }
            let caller = staged.loadInTurn(request)
            expectEqual(caller.value?.source, source)
            expectEqual(caller.value?.image.scale, 2)
        }
    }
}
