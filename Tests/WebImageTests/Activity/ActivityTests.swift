// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct ActivityTests {
    private static func names(of activities: [LoadActivity]) -> [String] {
        activities.map { activity in
            switch activity.kind {
            case .queued: "queued"
            case .started: "started"
            case .firstByte: "first byte"
            case .progress(let progress): "progress \(progress.receivedByteCount)"
            case .cacheHit(let source): "hit \(source)"
            case .decoded(let width, let height, _): "decoded \(width)x\(height)"
            case .stored: "stored"
            case .waitingForMemory(let byteCount): "waiting for \(byteCount) bytes"
            case .writeDropped: "write dropped"
            case .cacheFailed: "cache failed"
            case .finished(let source, _): "finished \(source)"
            case .cancelled: "cancelled"
            case .failed(let error): "failed \(error.reason)"
            }
        }
    }

    /// Everything a watcher sees until the manager ends.
    private static func watch(_ scenario: ManagerScenario, keeping limit: Int = 1_024) -> Probe<[LoadActivity]> {
        let activities = scenario.manager.activities(keeping: limit)
        return Probe(on: scenario.executor) {
            var seen: [LoadActivity] = []
            for await activity in activities { seen.append(activity) }
            return seen
        }
    }

    private static func end(_ scenario: ManagerScenario) {
        let manager = scenario.manager
        _ = Probe(on: scenario.executor) { await manager.shutdown(within: .zero) }
        scenario.executor.drain()
        scenario.clock.advance(by: .seconds(1))
        scenario.executor.drain()
    }

    @Test(arguments: seeds)
    func `a watcher sees a load from the queue to its end, with the label of each step's call`(seed: UInt64) {
        let scenario = ManagerScenario(seed: seed)
        let watcher = Self.watch(scenario)
        scenario.loadInTurn(1)
        scenario.loadInTurn(1)
        Self.end(scenario)
        let names = Self.names(of: watcher.value ?? [])
        expectEqual(
            names.filter { !$0.hasPrefix("progress") },
            [
                "queued", "started", "first byte", "decoded 16x16", "finished network", "hit memory", "finished memory",
            ])
        expect(names.contains { $0.hasPrefix("progress") })

        // Shared steps have the label of the call that began them, and each end has its own.
        do {
            let gate = Gate()
            let scenario = ManagerScenario(seed: seed, gate: gate)
            let watcher = Self.watch(scenario)
            for label in ["first", "second"] {
                var request = ImageRequest.numbered(1)
                request.label = label
                scenario.loadInTurn(request)
            }
            scenario.executor.open(gate)
            scenario.loadInTurn(1)
            Self.end(scenario)
            let ends = (watcher.value ?? []).filter { if case .finished = $0.kind { true } else { false } }
            let steps = (watcher.value ?? []).dropLast(2).filter { if case .finished = $0.kind { false } else { true } }
            expectEqual(ends.count, 3)
            expectEqual(Set(ends.map(\.label)), ["first", "second", nil])
            expectAll(steps.count > 3, steps.allSatisfy { $0.label == "first" })
            expectEqual(scenario.transport.requests.count, 1)
        }
    }

    @Test(arguments: seeds)
    func `a failure is told with the error of the caller, also when a part of the program has thrown`(seed: UInt64) {
        struct Mine: Error {}
        let scenario = ManagerScenario(seed: seed) { request in
            guard request.url.lastPathComponent == "1.png" else { throw Mine() }
            return HTTPResponse(status: 404, url: request.url)
        }
        let watcher = Self.watch(scenario)
        scenario.loadInTurn(1)
        scenario.loadInTurn(2)
        Self.end(scenario)
        let names = Self.names(of: watcher.value ?? []).filter { $0.hasPrefix("failed") }
        expectEqual(names, ["failed unacceptableStatus", "failed transferFailed"])

        // A full queue is no cancellation.
        var configuration = ImageManager.Configuration.unchanged
        configuration.downloader.maximumConcurrentDownloads = 1
        configuration.downloader.maximumQueueLength = 1
        let gate = Gate()
        let full = ManagerScenario(seed: seed, gate: gate, configuration: configuration)
        let refusals = Self.watch(full)
        let callers = (0..<3).map { full.load($0) }
        full.executor.drain()
        full.executor.open(gate)
        expectEqual(callers.count { $0.value != nil }, 2)
        Self.end(full)
        let ends = Self.names(of: refusals.value ?? []).filter { $0.hasPrefix("failed") || $0 == "cancelled" }
        expectEqual(ends, ["failed overloaded"])
    }

    @Test(arguments: seeds) func `counters add up, however the calls end`(seed: UInt64) {
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, gate: gate) { request in
            if request.url.lastPathComponent == "9.png" { throw HTTPError(code: .cannotConnect, message: "refused") }
            return try .picture(for: request)
        }
        let callers = [1, 1, 2, 9].map { scenario.load($0) }
        scenario.executor.drain()
        callers[2].cancel()
        scenario.executor.drain()
        scenario.executor.open(gate)
        scenario.loadInTurn(1)
        let counters = scenario.manager.counters
        expectAll(counters.requests == 5, counters.finished == 3, counters.cancelled == 1, counters.failed == 1)
        expectAll(counters.memoryHits == 1, counters.downloads == 3, counters.downloadedByteCount > 0)
    }

    @Test(arguments: seeds)
    func `a watcher that stops or is slow disturbs no other: the last one switches activities off`(seed: UInt64) {
        // A watcher that stops does not disturb the others, and the last one switches activities off.
        let executor = SeededExecutor(seed: seed)
        let (hub, made) = (ActivityHub(), Journal<Int>())
        let watchers = (0..<2).map { _ in
            let activities = hub.watch(keeping: 9)
            return (Probe(on: executor) { for await _ in activities { made.write(-1) } })
        }
        func tell(_ number: Int) -> ImageRequest {
            made.write(number)
            return .numbered(number)
        }
        for leaver in watchers {
            executor.drain()
            leaver.cancel()
            executor.drain()
            hub.tell(tell(1), .queued)
        }
        executor.drain()
        expectAll(made.entries == [1, -1], watchers.allSatisfy { !$0.isRunning })

        // A slow watcher loses the oldest activities and slows nothing.
        let scenario = ManagerScenario(seed: seed)
        let activities = scenario.manager.activities(keeping: 2)
        let callers = (0..<5).map { scenario.load($0) }
        scenario.executor.drain()
        expect(callers.allSatisfy { $0.value != nil })
        Self.end(scenario)
        let watcher = Probe(on: scenario.executor) {
            var seen: [LoadActivity] = []
            for await activity in activities { seen.append(activity) }
            return seen
        }
        scenario.executor.drain()
        expectEqual(watcher.value?.count, 2)
    }

    @Test func `the occupancy has pictures and files, and what alone says that there is work`() throws {
        var configuration = ImageManager.Configuration.unchanged
        configuration.downloader.maximumConcurrentDownloads = 1
        let gate = Gate()
        let staged = try StagedManager(seed: 1, gate: gate, configuration: configuration)
        let (pictures, file) = ((0..<2).map { _ in staged.load(.numbered(1)) }, staged.data(.numbered(2)))
        staged.run()
        let busy = try required(staged.occupancy())
        expectEqual([busy.callers, busy.flights, busy.queuedDownloads, busy.runningDownloads], [3, 2, 1, 1])
        staged.open(gate)
        expectAll(pictures.allSatisfy { $0.value != nil }, file.value != nil)
        let (refreshes, failures) = (staged.manager.pipeline.refreshes, staged.manager.pipeline.failures)
        failures.record(
            ImageLoadError(code: .undecodable, message: "broken"),
            for: LoadKey(.numbered(3), variant: ImageRequest.numbered(3).variantKey), isOfAddress: true)
        expectEqual(staged.occupancy()?.rememberedByteCount, failures.byteCount)
        failures.forgetAll()
        _ = refreshes.start(.init(.numbered(1)), on: staged.executor, now: { Date(timeIntervalSince1970: 1) }) { true }
        expectEqual(staged.occupancy()?.isIdle, true)
        expectEqual(staged.occupancy().map { $0.rememberedByteCount > 0 }, true, "the pause of a refresh")

        // Each figure alone says that there is work, but for what is remembered.
        let figures: [WritableKeyPath<LoadOccupancy, Int>] = [
            \.callers, \.flights, \.queuedDownloads, \.runningDownloads, \.queuedWork, \.runningWork,
            \.workByteCount, \.originalByteCount, \.pendingWrites, \.refreshes, \.rememberedByteCount,
        ]
        for figure in figures {
            var occupancy = try required(staged.occupancy())
            occupancy[keyPath: figure] = 1
            expectEqual(occupancy.isIdle, figure == \.rememberedByteCount)
        }
    }

    @Test func `a stored picture that waits for memory is counted and told as one that has come`() throws {
        let staged = try StagedManager(seed: 1)
        let request = ImageRequest.numbered(1, transformers: [.resize(to: .init(width: 4, height: 4))])
        staged.loadInTurn(request)
        staged.emptyMemory()
        let (queue, activities) = (staged.manager.pipeline.processing.queue, staged.manager.activities())
        let holder = staged.start { try await $0.pipeline.processing.queue.turn() }
        staged.run()
        expect(holder.value?.take(queue.byteLimit) == true)
        let (before, load) = (staged.manager.counters.memoryWaits, staged.loadInTurn(request))
        expectAll(load.isRunning, staged.manager.counters.memoryWaits == before + 1)
        holder.value?.end()
        staged.run()
        expectEqual(load.value?.source, .disk)
        expectEqual(staged.manager.counters.diskHits, 1)
        let names = Self.names(of: Self.seen(activities, staged)).map { $0.prefix(12) }
        expectEqual(names, ["hit disk", "waiting for ", "finished dis"])
    }

    /// All that a watcher has been told by the end.
    private static func seen(_ activities: AsyncStream<LoadActivity>, _ staged: StagedManager) -> [LoadActivity] {
        _ = staged.shutdown()
        staged.run()
        let watcher = staged.start { _ in
            var seen: [LoadActivity] = []
            for await activity in activities { seen.append(activity) }
            return seen
        }
        staged.run()
        return watcher.value ?? []
    }

    @Test func `what the disk has no room for is dropped, counted and told, and what waits for it is work`() throws {
        var configuration = ImageManager.Configuration()
        configuration.maximumWriteByteCount = 1
        let warned = Journal<CacheError.Code>()
        configuration.disk?.onWarning = { warned.write($0.code) }
        let staged = try StagedManager(seed: 1, configuration: configuration)
        let activities = staged.manager.activities()
        let loads = (1...3).map { number in
            var request = ImageRequest.numbered(number)
            request.cachePolicy = .reload
            return staged.load(request)
        }
        staged.run(without: .files)
        expect(loads.allSatisfy { $0.value != nil })
        let look = staged.start { await $0.occupancy }
        staged.run(without: .files)
        expectEqual(look.value?.pendingWrites, 1)
        expectAll(staged.manager.counters.droppedWrites == 2, warned.entries == [.overloaded])
        staged.run()
        let names = Self.names(of: Self.seen(activities, staged))
        expectEqual(["stored", "write dropped"].map { name in names.count { $0 == name } }, [3, 2])
        expectEqual(staged.fileCount, 1)
    }

    @Test func `a disk cache that does not work is an activity and a state`() async throws {
        var configuration = ImageManager.Configuration()
        configuration.disk = .init(folder: "/proc/nope")
        let warned = Journal<CacheError.Code>()
        configuration.disk?.onWarning = { warned.write($0.code) }
        let manager = ImageManager(configuration: configuration, transport: StubTransport(HTTPResponse.picture))
        let activities = manager.activities()
        _ = try await manager.load(.numbered(1))
        var codes: [CacheError.Code] = []
        for await activity in activities {
            guard case .cacheFailed(let error) = activity.kind else { continue }
            codes.append(error.code)
            break
        }
        expectEqual(codes, [.folderUnavailable])
        await expectEqual(manager.diskCache?.trouble?.code, .folderUnavailable)
        _ = await manager.shutdown(within: .seconds(60))
        expectEqual(warned.entries, [.folderUnavailable])
    }
}
