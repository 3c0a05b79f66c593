// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a load does before and after its transfer.
@Suite(.balanced) struct PictureLoadTests {
    @Test func `stages that did not run have no duration`() throws {
        let plain = ImageRequest.numbered(1)
        for request in [plain, plain.with { $0.cacheReads = .memory }, plain.with { $0.cachePolicy = .reload }] {
            let scenario = try StagedManager(seed: 0)
            let load = scenario.load(request)
            scenario.run()
            let metrics = try required(load.value).metrics
            expectEqual((metrics.diskRead != nil), (request.cacheReads == .all && request.cachePolicy != .reload))
            expectAll(metrics.download != nil, metrics.decode != nil, metrics.transform == nil)
        }
    }

    @Test(arguments: [true, false], seeds)
    func `a variant of a picture in memory, and a known failure, need no transfer`(hasDisk: Bool, seed: UInt64) throws {
        // A variant is made from the picture in memory, and nothing is transferred for it.
        let scenario = try StagedManager(seed: seed, hasDisk: hasDisk)
        let whole = scenario.load(ImageRequest.numbered(1))
        scenario.run()
        let small = scenario.load(
            ImageRequest.numbered(1).with {
                $0.transformers = [.resize(to: PixelSize(width: 2, height: 2), mode: .fit)]
            })
        scenario.run()
        expectAll(whole.value != nil, small.value?.image.width == 2)
        expectAll(scenario.transport.requests.count == 1, scenario.isAtRest)

        // A remembered failure needs no transfer.
        do {
            let scenario = try StagedManager(seed: seed, hasDisk: hasDisk) { HTTPResponse(status: 404, url: $0.url) }
            let first = scenario.load(ImageRequest.numbered(1))
            scenario.run()
            let second = scenario.load(ImageRequest.numbered(1))
            scenario.run()
            expectEqual((first.error as? ImageLoadError)?.code, .unacceptableStatus)
            expectEqual((second.error as? ImageLoadError)?.code, .recentlyFailed)
            expectAll(scenario.transport.requests.count == 1, scenario.isAtRest)
        }
    }
}

extension ImageRequest {
    fileprivate func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        var request = self
        change(&request)
        return request
    }
}
