// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What ends a load that is between its attempts, or at an alternative.
@Suite(.balanced, .timeLimit(.minutes(1))) struct AttemptEndTests {
    private static let seeds = Seeds.first(50)
    private static let mirror = ImageRequest(URL(string: "https://mirror.test/7.png")!)

    /// The first origin fails, and the mirror has the picture.
    private static let answer: StubTransport.Answer = { request in
        guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
        return try HTTPResponse.picture(for: request)
    }

    private static func patient(_ number: Int) -> ImageRequest {
        var request = ImageRequest.numbered(number, transformers: [.resize(to: PixelSize(width: 4, height: 4))])
        request.retry = .upTo(5, after: .seconds(60))
        return request
    }

    @Test(arguments: Self.seeds)
    func `a caller that waits for a retry is cancelled with all loads and with those of its address`(seed: UInt64) {
        let ends: [@Sendable (ImageManager) -> Void] = [
            { $0.cancelAll() }, { $0.cancelLoads(of: .numbered(1)) }, { $0.cancelLoads(of: .numbered(2)) },
        ]
        for (place, end) in ends.enumerated() {
            let scenario = ManagerScenario(seed: seed, answer: Self.answer)
            let manager = scenario.manager
            let picture = scenario.load(Self.patient(1))
            let file = Probe(on: scenario.executor) {
                try await manager.encodedImage(for: Self.patient(1), as: .jpeg())
            }
            scenario.executor.drain()
            expectAll(picture.isRunning, file.isRunning)
            expectEqual(scenario.clock.sleepers, 2)
            end(manager)
            scenario.executor.drain()
            expectEqual([picture.wasCancelled, file.wasCancelled], [place < 2, place < 2])
            expectEqual(scenario.clock.sleepers, place < 2 ? 0 : 2)
            manager.cancelAll()
            scenario.executor.drain()
        }
    }

    @Test(arguments: Self.seeds)
    func `a shutdown does not wait for a retry, whose caller hears of it at once`(seed: UInt64) {
        let scenario = ManagerScenario(seed: seed, answer: Self.answer)
        let manager = scenario.manager
        let caller = scenario.loadInTurn(Self.patient(1))
        let end = Probe(on: scenario.executor) { await manager.shutdown(within: .seconds(30)) }
        scenario.executor.drain()
        expectEqual(caller.code, .shutDown)
        expectEqual(end.value?.isClean, true)
        expectEqual(scenario.clock.sleepers, 0)
        expectEqual(scenario.transport.requests.count, 1)
    }

    @Test(arguments: Self.seeds)
    func `a rule that does not return holds no caller that is cancelled, and no shutdown`(seed: UInt64) {
        let gate = Gate()
        let scenario = ManagerScenario(seed: seed, answer: Self.answer)
        let manager = scenario.manager
        var request = ImageRequest.numbered(1)
        request.retry = LoadRetry { _ in
            await gate.pass()
            return nil
        }
        let (caller, other) = (scenario.load(request), scenario.load(request))
        scenario.executor.drain()
        expectEqual(gate.arrivals, 2)
        caller.cancel()
        scenario.executor.drain()
        expectAll(caller.wasCancelled, other.isRunning)
        let end = Probe(on: scenario.executor) { await manager.shutdown(within: .seconds(30)) }
        for _ in 0..<2 {
            scenario.executor.drain()
            scenario.clock.advance(by: .seconds(30))
        }
        scenario.executor.drain()
        expectAll(other.wasCancelled, end.value != nil)
        scenario.executor.open(gate)
    }

    @Test(arguments: Self.seeds)
    func `loads of an address are cancelled also at an alternative, which goes on for its own callers`(
        seed: UInt64
    ) throws {
        for endsAlternative in [false, true] {
            let gate = Gate()
            let staged = try StagedManager(
                seed: seed, gate: gate, holding: 2, hasDisk: false, answer: Self.answer)
            var request = ImageRequest.numbered(1)
            request.alternatives = [Self.mirror]
            let caller = staged.loadInTurn(request)
            let other = staged.loadInTurn(Self.mirror)
            expectAll(caller.isRunning, other.isRunning)
            expectEqual(staged.transport.requests.count, 2)
            staged.manager.cancelLoads(of: endsAlternative ? Self.mirror : .numbered(1))
            staged.run()
            expectAll(caller.wasCancelled, other.wasCancelled == endsAlternative)
            staged.open(gate)
            expectEqual(other.value != nil, !endsAlternative)
            expect(staged.isAtRest)
        }
    }

    @Test(arguments: Self.seeds)
    func `a caller that becomes urgent, or a raise, raises the transfer of an alternative`(seed: UInt64) {
        for isRaise in [false, true] {
            let gate = Gate()
            let priorities = Journal<UInt8>()
            var configuration = ImageManager.Configuration.unchanged
            configuration.hooks.shouldDownload = { request in
                guard request.url == Self.mirror.url else { return true }
                await gate.pass()
                priorities.write(Task.currentPriority.rawValue)
                return true
            }
            let scenario = ManagerScenario(seed: seed, configuration: configuration, answer: Self.answer)
            var request = ImageRequest.numbered(1)
            (request.alternatives, request.priority) = ([Self.mirror], .low)
            let caller = scenario.loadInTurn(request)
            if isRaise { scenario.manager.raise(request, to: .high) } else { caller.escalate(to: .high) }
            scenario.executor.open(gate)
            expect(caller.value != nil)
            expectEqual(priorities.entries, [TaskPriority.high.rawValue])
        }
    }

    @Test(arguments: Self.seeds)
    func `a load that is raised while it waits for its next attempt is urgent from then on`(seed: UInt64) {
        for isFile in [false, true] {
            let priorities = Journal<UInt8>()
            var configuration = ImageManager.Configuration.unchanged
            configuration.hooks.shouldDownload = { _ in
                // The flight begins within the call that starts it, which then tells of its urgency.
                await Task.yield()
                priorities.write(Task.currentPriority.rawValue)
                return true
            }
            let scenario = ManagerScenario(seed: seed, configuration: configuration, answer: Self.answer)
            let manager = scenario.manager
            var request = Self.patient(1)
            request.priority = .low
            let callers = [Self.patient(2), request].map { request in
                Probe(on: scenario.executor) {
                    if isFile { return _ = try await manager.encodedImage(for: request, as: .jpeg()) }
                    _ = try await manager.load(request)
                }
            }
            scenario.executor.drain()
            manager.raise(request, as: isFile ? .jpeg() : nil, to: .veryHigh)
            scenario.clock.advance(by: .seconds(60))
            scenario.executor.drain()
            expectEqual(
                priorities.entries.sorted(),
                [.low, .medium, .medium, ImagePriority.veryHigh.taskPriority].map(\.rawValue).sorted())
            expect(callers.allSatisfy(\.isRunning))
            manager.cancelAll()
            scenario.executor.drain()
        }
    }
}
