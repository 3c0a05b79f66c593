// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// Several processes that share a store work once for each picture.
@Suite(.balanced, .timeLimit(.minutes(1))) struct SharedLeaseTests {
    @Test(arguments: fewerSeeds)
    func `callers of three processes and three sizes are one request at the origin`(seed: UInt64) {
        // Callers of three processes are one request at the origin.
        let store = ScriptedStore()
        let scenario = SharedScenario(seed: seed, 3, store)
        let callers = (0..<12).map { scenario.file(7, by: $0 % 3) }
        scenario.run()
        let files = callers.compactMap { $0.value?.bytes }
        expectEqual([files.count, Set(files).count, scenario.asked], [12, 1, 1])
        expectEmpty(store.present.leases)
        let late = scenario.file(7, by: 1)
        scenario.run()
        expectEqual(late.value?.source, .memory)

        // Three sizes in three processes are one request at the origin.
        do {
            let store = ScriptedStore()
            let scenario = SharedScenario(seed: seed, 3, store)
            let callers = (0..<6).map { scenario.file(7, by: $0 % 3, size: 4 + $0 % 3) }
            scenario.run()
            expectEqual(callers.map { $0.value?.width }, [4, 5, 6, 4, 5, 6])
            expectEqual(scenario.asked, 1)
            expectEmpty(store.present.leases)
        }

        // A file of an original above the limit is made once.
        do {
            let store = ScriptedStore(maximumOriginalByteCount: 10)
            let scenario = SharedScenario(seed: seed, 3, store)
            let callers = (0..<6).map { scenario.file(7, by: $0 % 3) }
            scenario.run()
            expect(callers.allSatisfy { $0.value != nil })
            expectEqual(scenario.asked, 1)
            // What is known about the original is stored before the file that those who wait look for.
            let known = store.present.storedOrder.map(\.description)
            expect(known.count == 2 && known[0].hasSuffix("-about"))
            expectEmpty(store.present.leases)
        }
    }

    @Test(arguments: fewerSeeds) func `the failure of one process is that of all who wait`(seed: UInt64) {
        let store = ScriptedStore()
        let gate = Gate()
        let scenario = SharedScenario(seed: seed, 3, store, gate: gate) {
            HTTPResponse(status: 404, url: $0.url)
        }
        let callers = (0..<6).map { scenario.file(7, by: $0 % 3) }
        scenario.run()
        gate.open()
        scenario.run()
        expect(callers.allSatisfy { $0.code == .unacceptableStatus && ($0.error as? ImageLoadError)?.status == 404 })
        expectEqual(scenario.asked, 1)
        let late = (0..<3).map { scenario.file(7, by: $0) }
        scenario.run()
        expect(late.allSatisfy { $0.code == .recentlyFailed })
        // One that retries hears of none.
        for manager in 0..<3 {
            let retried = scenario.file(7, by: manager, retriesFailed: true)
            scenario.run()
            expectAll(retried.code == .unacceptableStatus, scenario.asked == 2 + manager)
        }
    }

    @Test(arguments: fewerSeeds)
    func `a process whose callers leave hands over, and a caller that leaves leaves no trace`(seed: UInt64) {
        // A process whose callers leave hands over.
        let store = ScriptedStore()
        let gate = Gate()
        let scenario = SharedScenario(seed: seed, 2, store, gate: gate, holding: 1)
        let first = scenario.file(7, by: 0)
        scenario.run()
        let second = scenario.file(7, by: 1)
        scenario.run()
        expectAll(scenario.asked == 1, second.isRunning)
        first.cancel()
        scenario.run()
        gate.open()
        scenario.run()
        expectAll(first.wasCancelled, second.value != nil)
        expectEqual(scenario.asked, 2)
        expectEmpty(store.present.leases)

        // A caller that leaves while it waits leaves no trace.
        do {
            let store = ScriptedStore()
            let gate = Gate()
            let scenario = SharedScenario(seed: seed, 2, store, gate: gate)
            let first = scenario.file(7, by: 0)
            scenario.run()
            let second = scenario.file(7, by: 1)
            scenario.executor.run(steps: Int(seed % 30))
            second.cancel()
            scenario.run()
            expect(second.wasCancelled)
            gate.open()
            scenario.run()
            expect(first.value != nil)
            expectEmpty(store.present.leases)
        }
    }

    @Test(arguments: fewerSeeds)
    func `a store in trouble, also while a load waits, or that hangs, fails no load`(seed: UInt64) {
        // A store in trouble fails no load.
        let store = ScriptedStore()
        store.change { $0.isBroken = true }
        let scenario = SharedScenario(seed: seed, 3, store)
        let callers = (0..<6).map { scenario.file(7, by: $0 % 3) }
        scenario.run()
        expect(callers.allSatisfy { $0.value != nil })
        expectEqual(scenario.asked, 3)
        expect(scenario.caches.allSatisfy { $0.counters.troubles > 0 && $0.counters.hits == 0 })

        // Trouble while a load waits makes it work for itself.
        do {
            let store = ScriptedStore()
            let gate = Gate()
            let scenario = SharedScenario(seed: seed, 2, store, gate: gate, holding: 1)
            let first = scenario.file(7, by: 0)
            scenario.run()
            let second = scenario.file(7, by: 1)
            scenario.run()
            store.change {
                $0.isBroken = true
                for place in $0.waiters.values.flatMap({ $0 }) { place.resolve(()) }
            }
            scenario.run()
            expect(second.value != nil)
            gate.open()
            scenario.run()
            expect(first.value != nil)
            expectEqual(scenario.asked, 2)
        }

        // A store that hangs is given up after its time.
        do {
            let gate = Gate()
            let store = ScriptedStore(gate: gate)
            let scenario = SharedScenario(seed: seed, 1, store)
            let caller = scenario.file(7, by: 0)
            for _ in 0..<12 {
                scenario.run()
                scenario.clock.advance(by: .seconds(31))
            }
            scenario.run()
            expect(caller.value != nil)
            expectEqual(scenario.asked, 1)
            gate.open()
            scenario.run()
            expectEmpty(store.present.leases, "a lease that comes too late is given back")
        }
    }

    @Test func `a wait in vain shortens those after it, until a claim is answered`() throws {
        let store = ScriptedStore()
        let scenario = SharedScenario(seed: 1, 1, store)
        let (cache, url) = (scenario.caches[0], ImageRequest.numbered(7).url)
        for number in 0..<6 { store.change { [name = SharedKey(key(number))] in $0.leases[name] = 99 } }
        func wait(_ number: Int) -> Duration {
            let (name, begin) = (key(number), scenario.clock.now)
            let claim = Probe(on: scenario.executor) { try await cache.claim(name, for: url, hearsFailures: true) }
            scenario.run()
            while claim.isRunning, scenario.clock.now < begin.advanced(by: .seconds(100)) {
                scenario.clock.advance(by: .milliseconds(250))
                scenario.run()
            }
            return begin.duration(to: scenario.clock.now)
        }
        expectEqual(
            (0..<5).map(wait),
            [
                .seconds(30), .milliseconds(3_750), .milliseconds(500), .milliseconds(250), .milliseconds(250),
            ])
        expectEqual(wait(6), .zero)
        expectEqual(wait(5), .seconds(30), "a claim was answered")
    }

    @Test(arguments: fewerSeeds)
    func `by HTTP's rules, too, a process uses what another has fetched, unless that may not be kept`(seed: UInt64) {
        // By HTTP's rules, too, a process uses what another has fetched.
        let store = ScriptedStore(maximumOriginalByteCount: 10)
        let scenario = SharedScenario(seed: seed, 3, store) { request in
            HTTPResponse(
                status: 200, headers: ["Cache-Control": "max-age=60", "Date": "Thu, 01 Jan 1970 00:16:40 GMT"],
                url: request.url, body: HTTPBody([try Pictures.png(7)]))
        }
        let callers = (0..<6).map { scenario.file(7, by: $0 % 3, policy: .http) }
        scenario.run()
        expect(callers.allSatisfy { $0.value != nil })
        expectEqual(scenario.asked, 1)
        expectEmpty(store.present.leases)

        // What may not be kept is not shared, and blocks no other process.
        do {
            let store = ScriptedStore()
            let scenario = SharedScenario(seed: seed, 2, store) { request in
                HTTPResponse(
                    status: 200, headers: ["Cache-Control": "private"], url: request.url,
                    body: HTTPBody([try Pictures.png(7)]))
            }
            let callers = (0..<4).map { scenario.file(7, by: $0 % 2, policy: .http) }
            scenario.run()
            expect(callers.allSatisfy { $0.value != nil })
            let present = store.present
            expectEmpty(present.leases)
            expectEmpty(present.values.filter { SharedEntry.readAbout($0.value, for: key(7)) != .gone })
        }
    }

    @Test(arguments: fewerSeeds) func `of the loads of one process one asks, and another when that one leaves`(
        seed: UInt64
    ) throws {
        let gate = Gate()
        let store = ScriptedStore(gate: gate)
        let scenario = SharedScenario(seed: seed, 1, store)
        let (cache, key, url) = (scenario.caches[0], key(7), ImageRequest.numbered(7).url)
        func claim() -> Probe<(any EntryLease)?> {
            defer { scenario.run() }
            return Probe(on: scenario.executor) { try await cache.claim(key, for: url, hearsFailures: true) }
        }
        var claims = [claim(), claim(), claim()]
        claims[0].cancel()
        scenario.run()
        expect(claims[0].wasCancelled)
        gate.open()
        scenario.run()
        let verdicts = claims[1...].compactMap(\.value)
        expectEqual([verdicts.count, verdicts.count { $0 != nil }, cache.counters.leases], [2, 1, 1])
        claims = []
    }

    @Test func `a load that retries does not hear the failure of another process`() throws {
        let store = ScriptedStore()
        let scenario = SharedScenario(seed: 1, 1, store)
        let (cache, key, url) = (scenario.caches[0], key(7), ImageRequest.numbered(7).url)
        let failure = try required(SharedFailure(ImageLoadError(code: .unacceptableStatus, message: "gone", url: url)))
        store.change { $0.words[SharedKey(key)] = failure.encoded }
        let claims = [true, false].map { hears in
            Probe(on: scenario.executor) { try await cache.claim(key, for: url, hearsFailures: hears) }
        }
        scenario.run()
        expectEqual(claims[0].code, .unacceptableStatus)
        let goesOn = if case .some(.none) = claims[1].value { true } else { false }
        expect(goesOn)
    }

    private func key(_ number: Int) -> CacheKey { ImageRequest.numbered(number).originalKey }

    @Test
    func `a result after the end of its lease is counted and not stored, and a dropped write gives its lease back`() {
        // A result that comes after its lease has ended is counted and not stored.
        let store = ScriptedStore()
        store.change { $0.refusesFinish = true }
        let scenario = SharedScenario(seed: 1, 1, store)
        let caller = scenario.file(7, by: 0)
        scenario.run()
        expect(caller.value != nil)
        expectEqual(scenario.caches[0].counters.refusedWrites, 2, "the file and its original")
        expect(store.present.storedOrder.allSatisfy { $0.description.hasSuffix("-about") })

        // A write that is dropped gives its lease back.
        do {
            let store = ScriptedStore()
            var configuration = ImageManager.Configuration()
            configuration.maximumWriteByteCount = 0
            let scenario = SharedScenario(seed: 1, 1, store, configuration: configuration)
            let callers = (0..<3).map { scenario.file($0, by: 0) }
            scenario.run()
            expect(callers.allSatisfy { $0.value != nil })
            expectEmpty(store.present.leases)
            expect(store.present.ends.contains(.failed(SharedFailure.alone.encoded, lifetime: .seconds(2))))
        }
    }
}
