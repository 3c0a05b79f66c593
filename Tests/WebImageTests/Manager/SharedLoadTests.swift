// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct SharedLoadTests {
    @Test(arguments: seeds) func `callers before, during and after a flight cause one download`(seed: UInt64) {
        // Callers before, during and after a flight cause one download.
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        let early = (0..<3).map { _ in scenario.load(7) }
        scenario.executor.drain()
        let late = (0..<3).map { _ in scenario.load(7) }
        scenario.executor.open(gate)
        let after = scenario.loadInTurn(7)
        for caller in early + late + [after] {
            expectEqual(caller.value.flatMap { ImageFactory.seed(of: $0.image) }, 7)
        }
        expectEqual(scenario.transport.requests.count, 1)
        expectEqual(after.value?.source, .memory)

        // A caller that arrives while a flight lands never downloads again.
        do {
            let coder = CountingCoder()
            var configuration = ImageManager.Configuration()
            configuration.coders = coder.registry
            let scenario = ManagerScenario(seed: seed, configuration: configuration)
            let manager = scenario.manager
            let callers = (0..<8).map { _ in
                Probe(on: scenario.executor) {
                    let first = try await manager.load(.numbered(3))
                    let second = try await manager.load(.numbered(3))
                    return (first.source, second.source)
                }
            }
            scenario.executor.drain()
            expect(callers.allSatisfy { $0.value?.1 == .memory })
            expectEqual(scenario.transport.requests.count, 1)
            expectEqual(coder.decodes, 1, "memory holds the picture, and not only its file")
        }

        // Different variants of one picture share the transfer.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let sizes = [4, 6, 8].map { PixelSize(width: $0, height: $0) }
            let callers = sizes.map { scenario.load(.numbered(5, transformers: [.resize(to: $0)])) }
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual(callers.map { $0.value?.image.size }, sizes)
            expectEqual(scenario.transport.requests.count, 1)
        }
    }

    @Test(arguments: seeds) func `loads with other headers, limits or waits share no transfer`(seed: UInt64) throws {
        // Requests that differ in a header do not share a transfer.
        let scenario = ManagerScenario(seed: seed) { request in
            var numbered = request
            let tenant = request.headers["Authorization"] == "one" ? 1 : 2
            numbered.url = URL(string: "https://example.org/\(tenant).png")!
            return try .picture(for: numbered)
        }
        let callers = ["one", "two"].map { tenant in
            var request = ImageRequest.numbered(9)
            request.headers["Authorization"] = tenant
            return scenario.load(request)
        }
        scenario.executor.drain()
        expectEqual(callers.map { $0.value.flatMap { ImageFactory.seed(of: $0.image) } }, [1, 2])
        expectEqual(scenario.transport.requests.count, 2)
        let anonymous = scenario.loadInTurn(9)
        expectEqual(anonymous.value?.source, .network, "nor does it read the other's picture from memory")

        // A load with stricter limits does not join one with laxer limits.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate) { request in
                HTTPResponse(status: 200, url: request.url, body: HTTPBody([try Pictures.png(1, side: 100)]))
            }
            // What memory holds answers both.
            var (lax, strict) = (ImageRequest.numbered(1), ImageRequest.numbered(1))
            strict.limits = ImageLimits(maximumSide: 50)
            (lax.cacheReads, strict.cacheReads) = (.none, .none)
            let requests = seed % 4 < 2 ? [lax, strict] : [strict, lax]
            let callers = requests.map { scenario.load($0) }
            scenario.executor.drain()
            scenario.executor.open(gate)
            for (request, caller) in zip(requests, callers) {
                if request.limits == nil { expectEqual(caller.value?.image.width, 100) }
                if request.limits != nil { expectEqual((caller.error as? ImageLoadError)?.reason, "tooLarge") }
            }
            let (again, refused) = (scenario.load(lax), scenario.load(strict))
            scenario.executor.drain()
            expect(again.value != nil, "the failure that is remembered is that of the limits")
            expectEqual(refused.code, .recentlyFailed)
        }

        // Nor does a load with coders of its own get what others decode.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate) { request in
                HTTPResponse(status: 200, url: request.url, body: HTTPBody([try Pictures.png(1)]))
            }
            var own = ImageRequest.numbered(1)
            own.coders = Identified(identity: "none", ImageCoders(decoders: [], encoders: []))
            let requests = seed % 2 == 0 ? [own, .numbered(1)] : [.numbered(1), own]
            let callers = requests.map { scenario.load($0) }
            scenario.executor.drain()
            scenario.executor.open(gate)
            for (request, caller) in zip(requests, callers) {
                expectEqual(caller.value != nil, request.coders == nil, "\(caller.error as Any)")
            }
        }

        // A load that waits for its stores does not join one that does not.
        do {
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate)
            var patient = ImageRequest.numbered(1)
            patient.waitsForStores = true
            let callers = [staged.load(.numbered(1)), staged.load(patient)]
            staged.run()
            gate.open()
            staged.run(without: .files)
            expect(callers[0].value != nil && callers[1].isRunning && staged.fileCount == 0)
            while callers[1].isRunning, staged.canRun { staged.run(steps: 1) }
            expectAll(callers[1].value != nil, staged.fileCount == 1)
            staged.run()
        }
    }

    @Test(arguments: 0..<16) func `each load stores where its request allows, also beside one that allows less or more`(
        pair: Int
    ) throws {
        let staged = try StagedManager(seed: UInt64(pair))
        let writes: [CacheTiers] = [pair & 3, pair >> 2].map { CacheTiers(rawValue: UInt8($0)) }
        let callers = writes.map { writes in
            var request = ImageRequest.numbered(1)
            request.cacheWrites = CacheAccess(writes)
            return staged.load(request)
        }
        staged.run()
        expect(callers.allSatisfy { $0.value != nil })
        let inMemory = staged.manager.peek(.numbered(1)) != nil
        let onDisk = staged.fileCount > 0
        // Under some seeds the second load begins when the first has landed. Its content is then the newer one, and the
        // content of the first load may not be stored any more.
        let newest = callers.compactMap { $0.value?.number }.max()
        for (caller, writes) in zip(callers, writes) where caller.value?.number == newest {
            expectAll(inMemory || !writes.contains(.memory), onDisk || !writes.contains(.disk))
        }
        let asked = writes[0].union(writes[1])
        expectAll(!inMemory || asked.contains(.memory), !onDisk || asked.contains(.disk))
    }

    @Test(arguments: seeds)
    func `a cancelled caller leaves the others, the last one cancels, and an error reaches all`(seed: UInt64) {
        // A cancelled caller leaves the others waiting.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let callers = (0..<3).map { _ in scenario.load(7) }
            scenario.executor.drain()
            callers[0].cancel()
            scenario.executor.drain()
            expect(callers[0].wasCancelled && callers[1].isRunning && callers[2].isRunning)
            scenario.executor.open(gate)
            expect(callers[1].value != nil && callers[2].value != nil)
            expectEqual([scenario.transport.requests.count, scenario.transport.cancelled], [1, 0])
        }

        // The last caller to leave cancels the transfer, and a later caller starts a new one.
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate)
        let first = (0..<2).map { _ in scenario.load(7) }
        scenario.executor.drain()
        for caller in first { caller.cancel() }
        scenario.executor.drain()
        expect(first.allSatisfy { $0.wasCancelled })
        let second = scenario.loadInTurn(7)
        scenario.executor.open(gate)
        expect(second.value != nil)
        expectEqual([scenario.transport.requests.count, scenario.transport.cancelled], [2, 1])

        // An error reaches every caller and is not remembered by the flight.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate) { request in
                HTTPResponse(status: 503, url: request.url)
            }
            let callers = (0..<3).map { _ in scenario.load(7) }
            scenario.executor.drain()
            scenario.executor.open(gate)
            for caller in callers {
                let error = caller.error as? ImageLoadError
                expectEqual(error?.code, .unacceptableStatus)
                expectEqual(error?.status, 503)
            }
            let again = scenario.loadInTurn(7)
            expectEqual((again.error as? ImageLoadError)?.code, .unacceptableStatus)
            expectEqual(scenario.transport.requests.count, 2)
        }
    }

    @Test(arguments: seeds) func `no more downloads run at once than allowed`(seed: UInt64) {
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = 3
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate, configuration: configuration)
        let callers = (0..<12).map { scenario.load($0) }
        scenario.executor.drain()
        expectEqual(scenario.transport.requests.count, 3)
        scenario.executor.open(gate)
        expect(callers.allSatisfy { $0.value != nil })
        expectEqual([scenario.transport.peak, scenario.transport.requests.count], [3, 12])
    }
}
