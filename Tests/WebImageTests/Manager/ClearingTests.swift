// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct ClearingTests {
    @Test(arguments: seeds)
    func `clearing memory keeps the disk, clearing all empties both, and a load that runs meanwhile ends and is stored`(
        seed: UInt64
    ) throws {
        // Clearing memory keeps the disk, clearing all empties both.
        let staged = try StagedManager(seed: seed)
        func source() -> ImageSource? {
            let load = staged.loadInTurn(.numbered(1))
            return load.value?.source
        }
        expectEqual(source(), .network)
        expectEqual(source(), .memory)
        let memory = staged.start { try await $0.clear(.memory) }
        staged.run()
        expectAll(memory.value != nil, staged.manager.peek(.numbered(1)) == nil)
        expectEqual(source(), .disk)
        let all = staged.start { try await $0.clear() }
        staged.run()
        expectAll(all.value != nil, staged.manager.peek(.numbered(1)) == nil)
        expectEqual(source(), .network)

        // A load that runs while the caches are emptied ends, and its result is stored.
        do {
            let staged = try StagedManager(seed: seed)
            let load = staged.load(.numbered(1))
            staged.runSome()
            let clearing = staged.start { try await $0.clear() }
            staged.run()
            expectAll(load.value != nil, clearing.value != nil, staged.isAtRest)
            let again = staged.loadInTurn(.numbered(1))
            expectEqual(again.value?.image.pixels, load.value?.image.pixels)
        }
    }

    @Test func `without a disk, clearing memory forgets what a transfer has brought for a load under way`() {
        let scenario = ManagerScenario(seed: 1)
        let wish = scenario.manager.pipeline.jobs.wish(for: .numbered(1), RequestIdentity(.numbered(1)))
        expect(scenario.loadInTurn(1).value != nil)
        let clearing = Probe(on: scenario.executor) { [manager = scenario.manager] in try await manager.clear(.memory) }
        scenario.executor.drain()
        expect(clearing.value != nil)
        expect(scenario.loadInTurn(1).value != nil)
        expectEqual(scenario.transport.requests.count, 2)
        withExtendedLifetime(wish) {}
    }

    @Test(arguments: seeds) func `what waits to be written does not come back after all is cleared`(seed: UInt64) throws
    {
        let staged = try StagedManager(seed: seed)
        let storing = staged.start { try await $0.store(Pictures.png(7), for: .numbered(1)) }
        staged.run(without: .files)
        let clearing = staged.start { try await $0.clear() }
        staged.runSome()
        staged.run()
        expectAll(storing.value != nil, clearing.value != nil)
        expectEqual(staged.fileCount, 0)
    }

    @Test(arguments: [false, true], Seeds.first(5))
    func
        `what a program stores is on disk when the call returns, if its request says so, and not if it is for one user`(
            isFile: Bool, seed: UInt64
        ) throws
    {
        let image = ImageFactory.picture(width: 4, height: 4, seed: 7)
        for (waits, field) in [(true, nil), (false, nil), (true, "secret")] as [(Bool, String?)] {
            let staged = try StagedManager(seed: seed)
            var request = ImageRequest.numbered(1)
            request.waitsForStores = waits
            request.headers["Authorization"] = field
            let storing = staged.start { [request] manager in
                if isFile {
                    try await manager.store(Pictures.png(7), for: request)
                } else {
                    await manager.store(image, for: request)
                }
            }
            staged.run(without: .files)
            expectEqual(storing.isRunning, waits && field == nil)
            staged.run()
            expectAll(storing.value != nil, staged.fileCount == (field == nil ? 1 : 0))
            expectAll(staged.loadInTurn(request).value != nil, staged.transport.requests.isEmpty)
        }
    }

    /// A load whose original has arrived and waits to be decoded. The origin brings another picture each time.
    private static func decoding(_ seed: UInt64) throws -> (StagedManager, Probe<ImageResponse>) {
        let staged = try StagedManager.counting(seed: seed, hasDisk: seed.isMultiple(of: 3))
        let load = staged.load(.numbered(1, transformers: [.crop(to: PixelRect(x: 0, y: 0, width: 4, height: 4))]))
        staged.run(without: .pixels)
        expectAll(load.isRunning, staged.transport.requests.count == 1)
        return (staged, load)
    }

    @Test(arguments: seeds, [true, false])
    func `what is removed does not come back from a load of the address that still works on it`(
        seed: UInt64, isOne: Bool
    ) throws {
        let (staged, earlier) = try Self.decoding(seed)
        let removal = staged.start { if isOne { try await $0.remove(.numbered(1)) } else { try await $0.clear() } }
        staged.run(without: .pixels)
        expect(removal.value != nil)
        let later = staged.load(.numbered(1))
        staged.run(without: .pixels)
        expectEqual(staged.transport.requests.count, 2)
        staged.run()
        expect(earlier.value != nil)
        expectEqual(later.value.flatMap { ImageFactory.seed(of: $0.image) }, 2)
        expect(staged.isAtRest)
    }

    @Test(arguments: seeds, [CacheAccess.none, .memory])
    func `a load uses what an earlier one has brought for the disk, unless it does not read that`(
        seed: UInt64, reads: CacheAccess
    ) throws {
        // A load that does not read the disk asks the origin, whatever an earlier load has brought.
        let staged = try StagedManager.counting(seed: seed, hasDisk: true)
        let earlier = staged.load(.numbered(1, transformers: [.rotate(degrees: 90)]))
        staged.run(without: .pixels)
        var request = ImageRequest.numbered(1)
        request.cacheReads = reads
        let later = staged.loadInTurn(request)
        expectAll(earlier.value != nil, later.value.flatMap { ImageFactory.seed(of: $0.image) } == 2)

        // Removing from memory leaves to other loads what a transfer has brought for the disk.
        do {
            let staged = try StagedManager.counting(seed: seed, hasDisk: true)
            let earlier = staged.load(.numbered(1, transformers: [.rotate(degrees: 90)]))
            staged.run(without: .pixels)
            _ = staged.start { try await $0.remove(.numbered(1), from: .memory) }
            staged.run(without: .pixels)
            let later = staged.loadInTurn(.numbered(1))
            expectAll(earlier.value != nil, later.value != nil, staged.transport.requests.count == 1)
        }
    }

    @Test(arguments: seeds)
    func `what is read from disk is kept in memory, also while the transfer that brought it is remembered`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed)
        let requests = [ImageRequest.numbered(1), .numbered(1, transformers: [.rotate(degrees: 90)])]
        let claim = ContentOrder.Claim(staged.manager.pipeline.order, requests[0].originalKey)
        for request in requests {
            let first = staged.loadInTurn(request)
            let file = staged.dataInTurn(request)
            staged.emptyMemory()
            let second = staged.loadInTurn(request)
            expectAll(first.value != nil, file.value != nil, second.value?.source == .disk)
            expect(staged.manager.peek(request) != nil)
            let again = staged.dataInTurn(request)
            staged.emptyMemory()
            let third = staged.dataInTurn(request)
            expectAll(again.value != nil, third.value?.source == .disk)
            let fourth = staged.dataInTurn(request)
            expectEqual(fourth.value?.source, .memory)
            staged.emptyMemory()
        }
        withExtendedLifetime(claim) {}
    }
}
