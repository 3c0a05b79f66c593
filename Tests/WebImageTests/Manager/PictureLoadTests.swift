// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The start of a load: as a task that reads the caches, or when the file has arrived.
@Suite(.balanced) struct PictureLoadTests {
    @Test func `a load waits for its transfer without a task only if no cache may answer`() throws {
        let plain = ImageRequest.numbered(1)
        let tenant = plain.with { $0.headers = ["Authorization": "Bearer 1"] }
        let small = plain.with { $0.transformers = [.resize(to: PixelSize(width: 2, height: 2), mode: .fit)] }
        for (hasDisk, request, isForOrigin) in [
            (true, plain, false), (true, plain.with { $0.cachePolicy = .revalidate }, false),
            (true, plain.with { $0.cachePolicy = .reload }, true), (true, tenant, true),
            (true, plain.with { $0.cacheReads = .memory }, true), (true, tenant.with { $0.cacheKey = "ours" }, false),
            (false, plain, true), (false, small, true), (false, plain.with { $0.cachePolicy = .onlyIfCached }, false),
        ] {
            let scenario = try StagedManager(seed: 0, hasDisk: hasDisk)
            let key = LoadKey(request, variant: request.variantKey)
            #expect(OriginalLoad.isForOrigin(scenario.manager.pipeline, request, key) == isForOrigin)
        }
    }

    @Test func `stages that did not run have no duration`() throws {
        let plain = ImageRequest.numbered(1)
        for request in [plain, plain.with { $0.cacheReads = .memory }, plain.with { $0.cachePolicy = .reload }] {
            let scenario = try StagedManager(seed: 0)
            let load = scenario.load(request)
            scenario.run()
            let metrics = try #require(load.value).metrics
            #expect((metrics.diskRead != nil) == (request.cacheReads == .all && request.cachePolicy != .reload))
            #expect(metrics.download != nil && metrics.decode != nil && metrics.transform == nil)
        }
    }

    @Test(arguments: [true, false], seeds)
    func `a variant is made from the picture in memory, and nothing is transferred for it`(hasDisk: Bool, seed: UInt64)
        throws
    {
        let scenario = try StagedManager(seed: seed, hasDisk: hasDisk)
        let whole = scenario.load(ImageRequest.numbered(1))
        scenario.run()
        let small = scenario.load(
            ImageRequest.numbered(1).with {
                $0.transformers = [.resize(to: PixelSize(width: 2, height: 2), mode: .fit)]
            })
        scenario.run()
        #expect(whole.value != nil && small.value?.image.width == 2)
        #expect(scenario.transport.requests.count == 1 && scenario.isAtRest)
    }

    @Test(arguments: [true, false], seeds)
    func `a remembered failure needs no transfer`(hasDisk: Bool, seed: UInt64) throws {
        let scenario = try StagedManager(seed: seed, hasDisk: hasDisk) { HTTPResponse(status: 404, url: $0.url) }
        let first = scenario.load(ImageRequest.numbered(1))
        scenario.run()
        let second = scenario.load(ImageRequest.numbered(1))
        scenario.run()
        #expect((first.error as? ImageLoadError)?.code == .unacceptableStatus)
        #expect((second.error as? ImageLoadError)?.code == .recentlyFailed)
        #expect(scenario.transport.requests.count == 1 && scenario.isAtRest)
        let manager = scenario.manager
        let waits = [ImageRequest.numbered(1), .numbered(2)].map { request in
            OriginalLoad.isForOrigin(manager.pipeline, request, LoadKey(request, variant: request.variantKey))
        }
        #expect(waits == [false, !hasDisk && seed.isMultiple(of: 2)], "one failure does not change the path of others")
    }
}

extension ImageRequest {
    fileprivate func with(_ change: (inout ImageRequest) -> Void) -> ImageRequest {
        var request = self
        change(&request)
        return request
    }
}
