// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Transfers whose modifier or transport loads through the manager that they work for.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ReentrancyTests {
    /// How the code inside the transfer loads a picture.
    enum Way: CaseIterable { case load, data, events, batch, download, sameRequest }

    private static func load(_ request: ImageRequest, by way: Way, _ manager: ImageManager) async throws {
        switch way {
        case .load, .sameRequest: _ = try await manager.load(request)
        case .data: _ = try await manager.encodedImage(for: request, as: .jpeg())
        case .events: for try await _ in manager.events(for: request) {}
        case .batch: for await outcome in manager.images(for: [request]) { _ = try outcome.result.get() }
        case .download: _ = try await manager.downloader.download(request)
        }
    }

    @Test(arguments: Way.allCases, fewerSeeds)
    func `a modifier that loads through its own manager gets an error, also when no slot is free`(
        way: Way, seed: UInt64
    ) throws {
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = seed.isMultiple(of: 3) ? 6 : 1
        let manager = Later<ImageManager>()
        let staged = try StagedManager(seed: seed, configuration: configuration)
        manager.set(staged.manager)
        let callers = (1...3).map { number in
            staged.load(
                .numbered(number) {
                    let other = ImageRequest.numbered(way == .sameRequest ? number : 10 + number)
                    try await Self.load(other, by: way, manager.value)
                })
        }
        staged.run()
        expectAll(callers.allSatisfy { $0.code == .reentrant }, staged.transport.requests.isEmpty, staged.isAtRest)
        let next = staged.loadInTurn(.numbered(1))
        expect(next.value != nil, "it is not remembered as a failure")
    }

    @Test(arguments: seeds)
    func `a modifier may peek and use another manager, and a task that outlives it may load`(seed: UInt64) throws {
        // A modifier may peek into memory, and use another manager.
        let (manager, other) = (Later<ImageManager>(), try StagedManager(seed: seed))
        let staged = try StagedManager(seed: seed)
        manager.set(staged.manager)
        staged.loadInTurn(.numbered(1))
        let token = other.start { try await $0.load(.numbered(7)) }
        other.run()
        let known = other.manager
        let caller = staged.load(
            .numbered(2) {
                try await expectEqual(manager.value.load(.numbered(1)).source, .memory)
                try await expectEqual(known.load(.numbered(7)).source, .memory)
                let fresh = try await withThrowingTaskGroup(of: ImageResponse.self) { group in
                    group.addTask { try await known.load(.numbered(8)) }
                    return try await group.next()
                }
                expect(fresh != nil)
            })
        while caller.isRunning, staged.canRun || other.canRun {
            staged.run()
            other.run()
        }
        expectAll(token.value != nil, caller.value != nil)

        // A task that outlives its transfer may load.
        do {
            let (gate, manager, loaded) = (Gate(), Later<ImageManager>(), Journal<Bool>())
            let staged = try StagedManager(seed: seed)
            manager.set(staged.manager)
            let executor = staged.executor
            let caller = staged.load(
                .numbered(1) {
                    Task(executorPreference: executor) {
                        await gate.pass()
                        loaded.write((try? await manager.value.load(.numbered(2))) != nil)
                    }
                })
            staged.run()
            staged.open(gate)
            expectAll(caller.value != nil, loaded.entries == [true], staged.isAtRest)
        }
    }

    @Test(arguments: seeds) func `a list that a modifier prefetches is over at once, and no other list is disturbed`(
        seed: UInt64
    ) throws {
        var settings = ImagePrefetcher.Configuration()
        settings.maximumConcurrentLoads = 1
        let manager = Later<ImageManager>()
        let staged = try StagedManager(seed: seed)
        manager.set(staged.manager)
        let (prefetcher, inside) = (
            ImagePrefetcher(manager: staged.manager, configuration: settings), Journal<ImagePrefetcher.Report>()
        )
        let lists = (0..<2).map { list in
            Probe(on: staged.executor) {
                await prefetcher.prefetch((0..<3).map { ImageRequest.numbered(10 * list + $0 + 10) })
            }
        }
        staged.runSome()
        let caller = staged.load(
            .numbered(1) {
                await prefetcher.pause()
                inside.write(await prefetcher.prefetch([.numbered(99)]))
                // The work of the other lists continues here.
                await prefetcher.resume()
            })
        staged.run()
        expectAll(caller.value != nil, inside.entries.map(\.progress.cancelledCount) == [1])
        expectAll(lists.allSatisfy { $0.value?.progress.finishedCount == 3 }, staged.isAtRest)
    }
}
