// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Long animations in batches, in prefetches, and in jobs that wait for a load.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ManyAnimationsTests {
    private static let (side, count) = (120, 60)
    private static let frame = side * side * 4
    private static let file = LongGIF.file(side: side, frames: count, patch: 20)

    /// - Parameter byteCount: The memory of all work; half of one animation by default.
    private func configuration(_ byteCount: Int = frame * count / 2) -> ImageManager.Configuration {
        var configuration = ImageManager.Configuration()
        configuration.maximumHeldAnimationByteCount = 10 * Self.frame
        configuration.maximumProcessingByteCount = byteCount
        return configuration
    }

    private func staged(_ configuration: ImageManager.Configuration) throws -> StagedManager {
        try StagedManager(seed: 1, hasDisk: false, configuration: configuration) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([Self.file]))
        }
    }

    /// With the coders that a program has, whose decoders make frames on demand.
    private func request(_ number: Int, _ steps: [any ImageTransforming] = []) -> ImageRequest {
        var request = ImageRequest.numbered(number, transformers: steps)
        request.coders = Identified(identity: "plain", .default)
        request.transformsAnimations = true
        return request
    }

    @Test(arguments: [ImagePrefetcher.Configuration.Outcome.picture, .file(.gif), .download])
    func `an animation that was prefetched takes a few frames, and plays from memory`(
        outcome: ImagePrefetcher.Configuration.Outcome
    ) throws {
        let staged = try staged(configuration(8_000_000))
        var configuration = ImagePrefetcher.Configuration()
        configuration.outcome = outcome
        let prefetcher = ImagePrefetcher(manager: staged.manager, configuration: configuration)
        let requests = (0..<4).map { request($0) }
        let report = staged.start { _ in await prefetcher.prefetch(requests) }
        staged.run()
        expectEqual(report.value?.progress, .counts(finished: 4, total: 4))
        let cost = staged.manager.memoryStatistics.cost
        expect(cost, <=, 4 * (3 * Self.frame + 2 * Self.file.count))
        let transfers = staged.transport.requests.count
        for request in requests {
            let shown = try required(staged.loadInTurn(request).value)
            expect(shown.image.makesFramesOnDemand)
            expectEqual(shown.image.frameCount, Self.count)
            if outcome == .picture { expectEqual(shown.source, .memory) }
            let file = try required(staged.dataInTurn(request, as: .gif).value)
            expectEqual(file.frameCount, Self.count)
        }
        expectEqual(staged.transport.requests.count, transfers)
    }

    @Test func `a job that wakes for a load reserves what makes its frames, too`() async throws {
        let manager = ImageManager(
            configuration: configuration(), transport: StubTransport(HTTPResponse.picture))
        let (jobs, queue) = (manager.pipeline.jobs, manager.pipeline.processing.queue)
        let held = Journal<Int>()
        let look = CustomTransformer(key: "look") { image in
            held.write(queue.byteCount)
            return image
        }
        let requests = [request(1), request(1, [look])]
        let origin = OriginResponse(url: requests[0].url, status: 200, headers: [:])
        let original = Original(Download(origin: origin, bytes: Self.file, number: 1))
        let wishes = requests.map { jobs.wish(for: $0, RequestIdentity($0)) }
        _ = try await jobs.product(of: .file(original), for: requests[0], as: nil, wishes[0])
        // The picture stays for the load that has said it will come.
        while queue.running > 0 { await Task.yield() }
        expect(queue.byteCount, >=, Self.frame)
        _ = try await jobs.product(of: .file(original), for: requests[1], as: nil, wishes[1])
        let source = try ImageCoders.default.decodingByteCount(
            of: Self.file, options: DecodeOptions(framesOnDemand: true))
        try expect(required(held.entries.first), >=, source + 2 * Self.frame)
        _ = await manager.shutdown(within: .zero)
    }
}
