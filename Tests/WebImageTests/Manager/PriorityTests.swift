// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct PriorityTests {
    private static func scenario(_ seed: UInt64, _ gate: Gate) -> ManagerScenario {
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumConcurrentDownloads = 1
        return ManagerScenario(seed: seed, gate: gate, configuration: configuration)
    }

    private static func order(_ scenario: ManagerScenario) -> [String] {
        scenario.transport.requests.map(\.url.lastPathComponent)
    }

    @Test(arguments: seeds)
    func `urgent downloads go first, also those that a late caller or a raise makes urgent`(seed: UInt64) {
        let gate = Gate()
        let scenario = Self.scenario(seed, gate)
        let blocker = scenario.loadInTurn(0)
        let callers = zip(1..., [ImagePriority.veryLow, .normal, .veryHigh, .low, .high]).map { number, priority in
            var request = ImageRequest.numbered(number)
            request.priority = priority
            let caller = scenario.loadInTurn(request)
            return caller
        }
        scenario.executor.open(gate)
        expectEqual(Self.order(scenario), ["0.png", "3.png", "5.png", "2.png", "4.png", "1.png"])
        expectAll(blocker.value != nil, callers.allSatisfy { $0.value != nil })

        // A late urgent caller moves a queued download forward.
        do {
            let gate = Gate()
            let scenario = Self.scenario(seed, gate)
            var callers = [scenario.load(0)]
            scenario.executor.drain()
            for number in 1...3 {
                var request = ImageRequest.numbered(number)
                request.priority = .low
                callers.append(scenario.load(request))
                scenario.executor.drain()
            }
            var urgent = ImageRequest.numbered(3)
            urgent.priority = .high
            callers.append(scenario.load(urgent))
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectEqual(Self.order(scenario), ["0.png", "3.png", "1.png", "2.png"])
            expect(callers.allSatisfy { $0.value != nil })
        }

        // A running load can be made more urgent.
        do {
            let gate = Gate()
            let scenario = Self.scenario(seed, gate)
            let manager = scenario.manager
            var callers = [scenario.load(0)]
            scenario.executor.drain()
            for number in 1...3 {
                callers.append(scenario.load(number))
                scenario.executor.drain()
            }
            let raise = Probe(on: scenario.executor) { manager.raise(.numbered(3), to: .veryHigh) }
            scenario.executor.drain()
            scenario.executor.open(gate)
            expectAll(raise.value != nil, callers.allSatisfy { $0.value != nil })
            expectEqual(Self.order(scenario), ["0.png", "3.png", "1.png", "2.png"])
        }
    }

    @Test(arguments: seeds, [true, false])
    func `a queued download sinks when its urgent caller leaves, also that of a load with a task of its own`(
        seed: UInt64, isPicture: Bool
    ) {
        let gate = Gate()
        let scenario = Self.scenario(seed, gate)
        let manager = scenario.manager
        func load(_ number: Int, _ priority: ImagePriority) -> any Ended {
            var request = ImageRequest.numbered(number)
            request.priority = priority
            let caller: any Ended
            if isPicture {
                caller = scenario.load(request)
            } else {
                caller = Probe(on: scenario.executor) { [request] in try await manager.encodedImage(for: request) }
            }
            scenario.executor.drain()
            return caller
        }
        let blocker = load(0, .normal)
        let visible = (1...3).map { load($0, .normal) }
        let hidden = (1...3).map { load($0, .veryLow) }
        for caller in visible { caller.cancel() }
        scenario.executor.drain()
        let later = load(4, .normal)
        scenario.executor.open(gate)
        expectEqual(Self.order(scenario), ["0.png", "4.png", "1.png", "2.png", "3.png"])
        expect(([blocker, later] + hidden).allSatisfy { $0.hasOneEnd && !$0.wasCancelled })
    }

    @Test(arguments: seeds) func `a burst of prefetching delays an urgent load by one slot at most`(seed: UInt64) {
        let gate = Gate()
        let scenario = Self.scenario(seed, gate)
        var callers: [Probe<ImageResponse>] = []
        for number in 0..<50 {
            var request = ImageRequest.numbered(number)
            request.priority = .low
            callers.append(scenario.load(request))
        }
        scenario.executor.drain()
        var urgent = ImageRequest.numbered(99)
        urgent.priority = .high
        callers.append(scenario.load(urgent))
        scenario.executor.drain()
        gate.open()
        // The pictures of the burst would take most of the time, so only every tenth seed loads all of them.
        let loadsAll = seed.isMultiple(of: 10)
        while !loadsAll, callers[50].isRunning, scenario.executor.run(steps: 1) == 1 {}
        if !loadsAll { for caller in callers { caller.cancel() } }
        scenario.executor.drain()
        expect(Self.order(scenario).dropFirst().first == "99.png" && callers[50].value != nil)
        expect(callers.allSatisfy { $0.value != nil || (!loadsAll && $0.wasCancelled) })
    }
}
