// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Transformers that load a second picture.
@Suite(.balanced, .timeLimit(.minutes(1))) struct WatermarkTests {
    /// A picture with a mark, which many loads share.
    private func marked(_ number: Int, with mark: ImageRequest = .numbered(99)) -> ImageRequest {
        .numbered(
            number, transformers: [.watermark(mark, gravity: .topLeft, margin: 3, opacity: 0.5, blend: .multiply)])
    }

    @Test(arguments: fewerSeeds) func `a mark is loaded once for all pictures that show it`(seed: UInt64) throws {
        let scenario = ManagerScenario(seed: seed)
        let probes = (1...3).map { scenario.load(marked($0)) }
        scenario.executor.drain()
        let mark = try ImageCoders.default.decode(Pictures.png(99))
        for (number, probe) in zip(1..., probes) {
            let plain = try ImageCoders.default.decode(Pictures.png(number))
            let overlay = OverlayTransformer(
                mark, named: "", gravity: .topLeft, margin: 3, opacity: 0.5, blend: .multiply)
            try expectEqual(probe.result?.get().image.pixels, overlay.transform(plain).pixels)
        }
        expectEqual(scenario.transport.requests.count, 4)
        expect(scenario.manager.peek(marked(1)) != nil)
        expectNil(scenario.manager.peek(marked(1, with: .numbered(98))))
    }

    @Test(arguments: fewerSeeds)
    func `a mark that fails, fails its picture alone, and a cancelled load leaves its mark`(seed: UInt64) throws {
        // A mark that cannot be loaded fails its picture alone, and is not remembered.
        let scenario = ManagerScenario(seed: seed) { request in
            guard request.url.path.contains("99") else { return try HTTPResponse.picture(for: request) }
            return HTTPResponse(status: 404, url: request.url, body: HTTPBody([]))
        }
        let (failing, plain) = (scenario.load(marked(1)), scenario.load(1))
        scenario.executor.drain()
        let error = expectError(ImageLoadError.self) { try failing.result?.get() }
        expectEqual(error?.code, .processingFailed)
        expectEqual((error?.cause as? ImageLoadError)?.status, 404)
        try expectEqual(plain.result?.get().image.width, 16)
        let other = scenario.loadInTurn(marked(1, with: .numbered(7)))
        try expectEqual(other.result?.get().image.width, 16)

        // What a prepared transformer takes is known before it works.
        do {
            var configuration = ImageManager.Configuration.unchanged
            configuration.maximumProcessingByteCount = 1_000_000
            let scenario = ManagerScenario(seed: seed, configuration: configuration)
            for (large, isMade) in [(Large(), true), (Large(side: 1_000), false), (Large(work: 2_000_000), false)] {
                let probe = scenario.loadInTurn(.numbered(2, transformers: [large]))
                let reason = isMade ? nil : ImageError.Code.memoryLimitExceeded.description
                expectEqual((probe.error as? ImageLoadError)?.reason, reason, "\(large.key)")
            }
        }

        // A cancelled load leaves the load of its mark.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let probe = scenario.loadInTurn(marked(1))
            probe.cancel()
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectError(CancellationError.self) { try probe.result?.get() }
            expectEqual(scenario.transport.open, 0)
        }
    }

    /// Becomes a transformer whose result, or whose work, takes more memory than there is.
    private struct Large: PreparingTransformer {
        var side = 16
        var work = 0
        var isReady = false
        var key: String { "large(\(side),\(work))" }

        func prepared(with loader: any ImageLoading) -> any ImageTransforming {
            Large(side: side, work: work, isReady: true)
        }
        func transform(_ image: DecodedImage) -> DecodedImage { image }
        func resultSize(for size: PixelSize) -> PixelSize {
            isReady ? PixelSize(width: side, height: side) : size
        }
        func workingByteCount(for size: PixelSize) -> Int { isReady ? work : 0 }
    }

    /// Needs a picture as a file, and changes nothing.
    private struct NeedsFile: PreparingTransformer {
        let request: ImageRequest
        var key: String { "needs a file" }

        func prepared(with loader: any ImageLoading) async throws -> any ImageTransforming {
            let file = try await loader.encodedImage(for: request, as: .png)
            return CustomTransformer(key: key) { $0.width == file.width ? $0 : $0.firstFrame }
        }
        func transform(_ image: DecodedImage) throws -> DecodedImage { throw ImageError(code: .malformed, message: "") }
    }

    @Test func `what a transformer loads goes before pictures that wait, as a file and inside another one, too`() {
        let mark = ImageRequest.numbered(99)
        let ways: [any ImageTransforming] = [
            WatermarkTransformer(mark), TransformerPipeline([WatermarkTransformer(mark)]), NeedsFile(request: mark),
        ]
        for way in ways {
            let gate = Gate()
            var configuration = ImageManager.Configuration.unchanged
            configuration.downloader.maximumConcurrentDownloads = 1
            let scenario = ManagerScenario(seed: 1, gate: gate, configuration: configuration)
            let loads = (0...6).map { number in
                scenario.loadInTurn(.numbered(number, transformers: number == 0 ? [way] : []))
            }
            scenario.executor.open(gate)
            let order = scenario.transport.requests.map(\.url.lastPathComponent)
            expectAll(order.count == 8, order.last == "6.png")
            expect(loads.allSatisfy { $0.value != nil })
        }
    }

    @Test func `the name of a mark tells every parameter, and no credential`() {
        var secret = ImageRequest.numbered(1)
        secret.headers = ["Authorization": "Bearer secret"]
        let mark = ImageRequest.numbered(1)
        let keys = [
            WatermarkTransformer(mark), WatermarkTransformer(secret), WatermarkTransformer(.numbered(2)),
            WatermarkTransformer(mark, gravity: .center), WatermarkTransformer(mark, margin: 1),
            WatermarkTransformer(mark, opacity: 0.5), WatermarkTransformer(mark, blend: .multiply),
        ].map(\.key)
        expectEqual(Set(keys).count, keys.count)
        expect(!keys.contains { $0.contains("secret") })
        expectError(ImageError.self) {
            try WatermarkTransformer(mark).transform(ImageFactory.picture(width: 4, height: 4, seed: 1))
        }
    }
}
