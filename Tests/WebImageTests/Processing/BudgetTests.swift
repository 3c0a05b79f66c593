// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// One budget of bytes for all decoding, transforming and encoding.
@Suite(.balanced, .timeLimit(.minutes(1))) struct BudgetTests {
    /// Reports a given number of bytes for its pictures, and notes how many are made at once.
    private final class WeighingCoder: ImageDecoding, ImageEncoding {
        private struct Load {
            var now = 0
            var most = 0
        }

        private let coders = ImageCoders.default
        private let byteCount: Int
        private let load = Mutex(Load())
        private let whileDecoding: @Sendable () -> Void

        init(byteCount: Int, whileDecoding: @escaping @Sendable () -> Void = {}) {
            self.byteCount = byteCount
            self.whileDecoding = whileDecoding
        }

        /// The bytes that running decodes have taken at once.
        var peak: Int { load.withLock { $0.most } }

        var registry: ImageCoders {
            ImageCoders(decoders: [self] + coders.decoders, encoders: [self] + coders.encoders)
        }

        func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
        func canEncode(_ format: ImageFormat) -> Bool { true }
        func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) -> Int { byteCount }
        func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int { byteCount }

        func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
            try coders.properties(of: bytes, options: options)
        }

        func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
            try weighed {
                whileDecoding()
                return try coders.decode(bytes)
            }
        }

        func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
            try weighed { try coders.encode(image, as: format) }
        }

        private func weighed<T>(_ body: () throws -> T) rethrows -> T {
            load.withLock { load in
                load.now += byteCount
                load.most = max(load.most, load.now)
            }
            defer { load.withLock { $0.now -= byteCount } }
            return try body()
        }
    }

    private func configuration(_ coder: WeighingCoder, limit: Int) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.coders = coder.registry
        configuration.maximumProcessingByteCount = limit
        configuration.processingWidth = 4
        configuration.maximumInlinePixelCount = 0
        configuration.memory.maximumCost = 1
        return configuration
    }

    @Test func `pictures made at once take no more than the budget, and all are delivered`() async throws {
        // Pictures that are made at once take no more than the budget, and all are delivered.
        do {
            let coder = WeighingCoder(byteCount: 100_000)
            let configuration = configuration(coder, limit: 250_000)
            let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let request = ImageRequest.numbered(number)
                        if number.isMultiple(of: 2) {
                            let image = try await manager.image(for: request)
                            expectEqual(image.width, 16)
                        } else {
                            let file = try await manager.encodedImage(for: request, as: .png)
                            expectEqual(file.width, 16)
                        }
                    }
                }
                try await group.waitForAll()
            }
            expect(coder.peak, <=, 250_000)
            // The last job lets its original go after its answer.
            while await !manager.occupancy.isIdle { await Task.yield() }
            _ = await manager.shutdown(within: .zero)
        }

        // A decode waits for its share of the budget before it takes a thread.
        let blocked = DispatchSemaphore(value: 0)
        let coder = WeighingCoder(byteCount: 100_000) { blocked.wait() }
        let configuration = configuration(coder, limit: 250_000)
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        let loads = (0..<6).map { number in Probe { try await manager.image(for: .numbered(number)) } }
        var occupancy = await manager.occupancy
        while occupancy.runningWork + occupancy.queuedWork < 6 || occupancy.queuedWork < 4 {
            await Task.yield()
            occupancy = await manager.occupancy
        }
        expectEqual([occupancy.runningWork, occupancy.workByteCount], [2, 200_000])
        for _ in loads { blocked.signal() }
        for load in loads { _ = try await load.finish() }
        _ = await manager.shutdown(within: .zero)
    }

    @Test(arguments: seeds) func `a share is given back however the load ends`(seed: UInt64) throws {
        var configuration = ImageManager.Configuration()
        configuration.maximumProcessingByteCount = 20_000
        configuration.coders = WeighingCoder(byteCount: 9_000).registry
        let scenario = ManagerScenario(seed: seed, configuration: configuration) { request in
            guard request.url.lastPathComponent != "3.png" else {
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody([try Pictures.png(3).dropLast(40)]))
            }
            return try HTTPResponse.picture(for: request)
        }
        let manager = scenario.manager
        let loads = (0..<8).map { scenario.load($0) }
        let files = (0..<8).map { number in
            Probe(on: scenario.executor) { try await manager.encodedImage(for: .numbered(number), as: .png) }
        }
        scenario.executor.run(steps: Int(seed))
        for load in loads.prefix(Int(seed % 8)) { load.cancel() }
        for file in files.suffix(Int(seed % 5)) { file.cancel() }
        scenario.executor.drain()
        expectAll(loads.allSatisfy { !$0.isRunning }, files.allSatisfy { !$0.isRunning })
        let look = Probe(on: scenario.executor) { await manager.occupancy }
        scenario.executor.drain()
        expectEqual(look.value?.workByteCount, 0)
        expectEqual(look.value?.isIdle, true)
    }

    @Test(arguments: seeds) func `outputs that do not fit beside each other are made one after the other`(
        seed: UInt64
    ) throws {
        var configuration = ImageManager.Configuration()
        configuration.maximumProcessingByteCount = 2_600  // two pictures and a half
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate, hasDisk: false, configuration: configuration)
        let coders = WeighingCoder(byteCount: 1_024).registry
        let callers = ["a", "b"].map { key in
            var request = ImageRequest.numbered(1, transformers: [.custom(key: key) { $0 }])
            request.coders = Identified(identity: "weighing", coders)
            return staged.load(request)
        }
        staged.run(without: .pixels)
        staged.open(gate)
        expect(callers.allSatisfy { $0.value != nil })
        expect(staged.isAtRest)
    }

    @Test(arguments: [Int.min, -1, 0])
    func `a picture above the budget is refused from its header, or decoded smaller`(limit: Int) async throws {
        // A budget without bytes refuses every picture, and nothing traps.
        do {
            let coder = WeighingCoder(byteCount: 100)
            let configuration = configuration(coder, limit: limit)
            let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
            let error = await expectError(ImageLoadError.self) { try await manager.image(for: .numbered(1)) }
            expectEqual(error?.reason, ImageError.Code.memoryLimitExceeded.description)
            _ = await manager.shutdown(within: .zero)
        }

        // A picture above the budget is refused from its header with its own code.
        let coder = WeighingCoder(byteCount: 100_001)
        let configuration = configuration(coder, limit: 100_000)
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        let error = await expectError(ImageLoadError.self) { try await manager.image(for: .numbered(1)) }
        expectEqual(error?.reason, ImageError.Code.memoryLimitExceeded.description)
        expectEqual(coder.peak, 0)
        _ = await manager.shutdown(within: .zero)

        // A picture that is too large for the budget is decoded smaller for a thumbnail.
        do {
            var configuration = ImageManager.Configuration()
            configuration.disk = nil
            configuration.maximumProcessingByteCount = 1_000_000
            let jpeg = try ImageFactory.encoded(width: 1_000, height: 1_000, seed: 1, as: .jpeg())
            let transport = StubTransport { HTTPResponse(status: 200, url: $0.url, body: HTTPBody([jpeg])) }
            let manager = ImageManager(configuration: configuration, transport: transport)
            let whole = await expectError(ImageLoadError.self) { try await manager.image(for: .numbered(1)) }
            expectEqual(whole?.reason, ImageError.Code.memoryLimitExceeded.description)
            let small = ImageRequest.numbered(1, transformers: [.resize(to: PixelSize(width: 100, height: 100))])
            try await expectEqual(manager.image(for: small).width, 100)
            _ = await manager.shutdown(within: .zero)
        }
    }

    @Test func `a picture holds its own bytes of the budget, and not those of its decoding`() async throws {
        let configuration = configuration(WeighingCoder(byteCount: 100_000), limit: 1_000_000)
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        let (jobs, queue) = (manager.pipeline.jobs, manager.pipeline.processing.queue)
        let file = try Pictures.png(1, side: 32)
        let same = ImageRequest.numbered(1)
        let smaller = ImageRequest.numbered(1, transformers: [.resize(to: PixelSize(width: 8, height: 8))])
        let (stored, share) = try await manager.pipeline.processing.decode(file, for: same)
        expectEqual(queue.byteCount, stored.byteCount)
        let origin = OriginResponse(url: same.url, status: 200, headers: [:])
        let original = Original(Download(origin: origin, bytes: file, number: 1))
        let whole = ImageResponse(image: stored, format: .png, source: .memory)
        for (source, request) in [
            (PictureJob.Source.file(original), same), (.file(original), smaller), (.picture(whole), smaller),
        ] {
            // The work before it lets its answer go a moment later.
            while queue.byteCount != stored.byteCount { await Task.yield() }
            let wish = jobs.wish(for: request, RequestIdentity(request))
            let product = try await jobs.product(of: source, for: request, as: nil, wish)
            try expectEqual(queue.byteCount - stored.byteCount, product.picture.get().byteCount)
            withExtendedLifetime((product, wish)) {}
        }
        withExtendedLifetime(share) {}
        _ = await manager.shutdown(within: .zero)
    }
}
