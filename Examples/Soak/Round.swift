// SPDX-License-Identifier: MIT
import WebImage
import WebImageTesting

/// One load, batch or list, and the time of its cancellation.
struct Round: Sendable {
    private enum Work {
        case load
        case file(OutputFormat)
        case events(leavingAfter: Int)
        case batch(leavingAfter: Int)
        case list
    }

    private let requests: [ImageRequest]
    private let work: Work
    /// The number of yields before the cancellation; `nil` for no cancellation.
    private let patience: Int?

    init(in world: World, using random: inout SeededGenerator) {
        let count = Int.random(in: 2...6, using: &random)
        requests = (0..<count).map { _ in
            let transformers: [any ImageTransforming] =
                Bool.random(using: &random) ? [.resize(to: PixelSize(width: 16, height: 16))] : []
            var request = ImageRequest(
                world.url(Int.random(in: 0..<World.pictureCount, using: &random)), transformers: transformers)
            request.priority = ImagePriority.allCases.randomElement(using: &random) ?? .normal
            request.cachePolicy = [.cacheFirst, .reload, .reload, .revalidate].randomElement(using: &random) ?? .reload
            request.retriesFailed = Bool.random(using: &random)
            return request
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: work = .load
        case 8..<12: work = .file([.original, .png, .jpeg(), .webp()].randomElement(using: &random) ?? .png)
        case 12..<15: work = .events(leavingAfter: Int.random(in: 1...3, using: &random))
        case 15..<18: work = .batch(leavingAfter: Int.random(in: 1...6, using: &random))
        default: work = .list
        }
        patience = Int.random(in: 0..<8, using: &random) == 0 ? nil : 1 << Int.random(in: 0...9, using: &random)
    }

    /// Runs the work and cancels it after its yields.
    func run(with manager: ImageManager, _ prefetcher: ImagePrefetcher) async {
        // Unstructured because it is cancelled alone; it is awaited here.
        let task = Task { @concurrent in try await perform(with: manager, prefetcher) }
        if let patience {
            for _ in 0..<patience { await Task.yield() }
            task.cancel()
        }
        _ = await task.result
    }

    @concurrent
    private func perform(with manager: ImageManager, _ prefetcher: ImagePrefetcher) async throws {
        switch work {
        case .load: _ = try await manager.load(requests[0])
        case .file(let format): _ = try await manager.encodedImage(for: requests[0], as: format)
        case .events(let limit):
            var count = 0
            for try await _ in manager.events(for: requests[0]) {
                count += 1
                if count == limit { break }
            }
        case .batch(let limit):
            var count = 0
            for await _ in manager.images(for: requests, atOnce: 3) {
                count += 1
                if count == limit { break }
            }
        case .list: _ = await prefetcher.prefetch(requests)
        }
    }
}
