// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

struct MemoryCacheTests {
    private typealias Cache = MemoryCache<String, Int>

    @Test func `entries are removed on a condition, which does not count as a use`() {
        let cache = Cache(.init(maximumCost: 800, maximumCount: 10))
        cache.store(1, for: "a", cost: 10)
        cache.store(2, for: "c", cost: 10)
        cache.remove(["b", "a", "c"]) { $0 == 2 }
        expect(cache.contains("a"))
        expect(!cache.contains("c"))
        expectEqual(cache.statistics, .init(hits: 0, misses: 0, evictions: 0, cost: 10, count: 1))
    }

    @Test func `the cache trims, empties and accepts new limits`() async {
        let cache = Cache(.init(maximumCost: 10_000, maximumCount: 1_000))
        for number in 0..<900 { cache.store(number, for: "\(number)", cost: 10) }
        await cache.trim(toCost: 5_000)
        expectEqual(cache.statistics.cost, 5_000)
        await cache.updateLimits(maximumCost: 3_000, maximumCount: 200)
        expectEqual([cache.statistics.count, cache.statistics.evictions], [200, 700])
        expectAll(!cache.store(1, for: "too large", cost: 3_001), cache.store(1, for: "new", cost: 10))
        await cache.removeAll()
        expectEqual(cache.statistics, .init(hits: 0, misses: 0, evictions: 701, cost: 0, count: 0))
        await cache.trim(toCost: -1)
        // What it has counted, and the age of all, stay.
        await cache.updateLimits(.init(maximumCost: 3_000, maximumCount: 200, age: .absolute(.zero)))
        _ = cache.value(for: "none")
        cache.store(1, for: "over", cost: 10, age: .never)
        _ = cache.value(for: "over")
        await cache.removeAll()
        expectEqual(cache.statistics, .init(hits: 1, misses: 1, evictions: 701, cost: 0, count: 0))
        cache.store(1, for: "over", cost: 10)
        expectNil(cache.value(for: "over"))
    }

    @Test func `under pressure the cache keeps half of its limit, or an eighth, also of a new one`() async {
        // The cache keeps half of its limit under warning pressure, an eighth under critical pressure.
        do {
            let cache = Cache(.init(maximumCost: 8_000, maximumCount: 1_000))
            func fill() { for number in 0..<800 { cache.store(number, for: "\(number)", cost: 10) } }
            fill()
            expectEqual(cache.statistics.cost, 8_000)
            await cache.respond(to: .warning)
            expectEqual(cache.statistics.cost, 4_000)
            expectEqual(cache.statistics.evictions, 400)
            fill()
            expectEqual(cache.statistics.cost, 4_000, "later entries obey it, too")
            await cache.respond(to: .critical)
            await expectAll(cache.pressure == .critical, cache.statistics.cost == 1_000)
            await cache.respond(to: .warning)
            fill()
            expectEqual(cache.statistics.cost, 4_000)
            let before = cache.statistics
            await cache.respond(to: .normal)
            expectEqual(cache.statistics, before, "evicted entries do not return")
            fill()
            expectEqual(cache.statistics.cost, 8_000)
        }

        // New limits under memory pressure are its own limits when the pressure ends.
        let cache = Cache(.init(maximumCost: 8_000, maximumCount: 1_000))
        await cache.respond(to: .critical)
        await cache.updateLimits(maximumCost: 4_000, maximumCount: 500)
        for number in 0..<800 { cache.store(number, for: "\(number)", cost: 10) }
        expectEqual(cache.statistics.cost, 500)
        await expectEqual(cache.limits, .init(maximumCost: 4_000, maximumCount: 500))
        await cache.respond(to: .normal)
        for number in 0..<800 { cache.store(number, for: "\(number)", cost: 10) }
        expectEqual(cache.statistics.cost, 4_000)

        // The same level of pressure does nothing the second time.
        do {
            let cache = Cache(.init(maximumCost: 800, maximumCount: 1_000))
            for number in 0..<80 { cache.store(number, for: "\(number)", cost: 10) }
            await cache.respond(to: .warning)
            await cache.respond(to: .warning)
            expectEqual(cache.statistics.evictions, 40)
        }
    }

    @Test
    func `when the limits fall, entries in use stay, and a store during the sweep makes room for itself alone`() async {
        // Entries in use stay when the limits fall.
        let cache = MemoryCache<Int, Int>(.init(maximumCost: 8_000, maximumCount: 1_000))
        for key in 0..<400 { cache.store(key, for: key, cost: 10) }
        for key in 0..<400 { _ = cache.value(for: key) }
        for key in 400..<800 { cache.store(key, for: key, cost: 10) }
        await cache.respond(to: .critical)
        // Nine tenths, but for what one slice of the sweep may take.
        expectAll((0..<400).count { cache.contains($0) } >= 80, cache.statistics.count == 100)

        // A store during a sweep to lower limits makes room for itself alone.
        do {
            let cache = MemoryCache<Int, Farewell>(.init(maximumCost: 8_000, maximumCount: 1_000))
            let evictions = Journal<Int>()
            // The first evicted value is released between two slices of the sweep, and stores another value.
            let first = Farewell {
                let before = cache.statistics.evictions
                cache.store(Farewell {}, for: -1, cost: 10)
                evictions.write(cache.statistics.evictions - before)
            }
            cache.store(first, for: 0, cost: 10)
            for key in 1..<800 { cache.store(Farewell {}, for: key, cost: 10) }
            _ = consume first
            await cache.updateLimits(maximumCost: 1_000, maximumCount: 1_000)
            expectAll(evictions.entries == [1], cache.statistics.cost <= 1_000)
        }
    }

    @Test func `a value with a lifetime is a miss when it has passed, and is removed`() {
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let cache = Cache(.init(maximumCost: 800, maximumCount: 10), now: { start + passed.withLock { $0 } })
        cache.store(1, for: "short", cost: 10, age: .absolute(.seconds(60)))
        cache.store(2, for: "endless", cost: 10)
        cache.store(3, for: "over", cost: 10, age: .absolute(.seconds(-1)))
        cache.store(4, for: "long", cost: 10, age: .absolute(.seconds(Int64.max)))
        expectNil(cache.value(for: "over"))
        passed.withLock { $0 = .seconds(59) }
        expect(cache.contains("short"))
        expectEqual(cache.value(for: "short"), 1)
        passed.withLock { $0 = .seconds(60) }
        expect(!cache.contains("short"))
        expectEqual(cache.statistics, .init(hits: 1, misses: 1, evictions: 0, cost: 30, count: 3))
        expectNil(cache.value(for: "short"))
        expectEqual(cache.statistics, .init(hits: 1, misses: 2, evictions: 0, cost: 20, count: 2))
        passed.withLock { $0 = .seconds(900_000_000) }
        expectEqual([cache.value(for: "endless"), cache.value(for: "long")], [2, 4])
        cache.store(5, for: "short", cost: 10, age: .absolute(.seconds(1)))
        cache.store(6, for: "short", cost: 10)
        passed.withLock { $0 = .seconds(900_000_060) }
        expectEqual(cache.value(for: "short"), 6, "a later value has a lifetime of its own")
    }

    @Test func `a sliding age counts from the last use, the age of all from the limits, and a sweep removes`() async {
        let start = ContinuousClock.now
        let passed = Mutex(Duration.zero)
        let cache = Cache(
            .init(maximumCost: 8_000, maximumCount: 1_000, age: .absolute(.seconds(100))),
            now: { start + passed.withLock { $0 } })
        cache.store(1, for: "sliding", cost: 10, age: .sliding(.seconds(30)))
        cache.store(2, for: "all", cost: 10)
        cache.store(3, for: "never", cost: 10, age: .never)
        for second in stride(from: 29, to: 99, by: 29) {
            passed.withLock { $0 = .seconds(second) }
            expectEqual(cache.value(for: "sliding"), 1, "at \(second)")
        }
        passed.withLock { $0 = .milliseconds(99_999) }
        expectEqual(cache.value(for: "all"), 2)
        cache.replace(4, for: "all", cost: 10)
        passed.withLock { $0 = .seconds(100) }
        expectNil(cache.value(for: "all"), "what replaces it ends when it would have")
        passed.withLock { $0 = .seconds(117) }
        expectNil(cache.value(for: "sliding"))
        expectEqual(cache.value(for: "never"), 3)

        await cache.updateLimits(.init(maximumCost: 8_000, maximumCount: 1_000, age: .sliding(.seconds(5))))
        await cache.updateLimits(maximumCost: 8_000, maximumCount: 1_000)
        for number in 0..<600 { cache.store(number, for: "\(number)", cost: 1) }
        passed.withLock { $0 += .seconds(4) }
        for number in 0..<10 { _ = cache.value(for: "\(number)") }
        passed.withLock { $0 += .seconds(4) }
        await cache.removeExpired()
        expectEqual(cache.statistics.count, 11, "those that were used, and the one without an end")
    }

    @Test func `evicted values are released outside the lock`() async {
        // Under the lock, the look-up in `deinit` would find the lock taken and trap.
        let cache = MemoryCache<Int, Witness>(.init(maximumCost: 80, maximumCount: 4))
        let released = Counter()
        for key in 0..<20 { cache.store(Witness(cache, released), for: key, cost: 1) }
        cache.store(Witness(cache, released), for: 19, cost: 1)
        expectEqual(released.value, 17)
        await cache.trim(toCost: 2)
        expectEqual(released.value, 19)
        cache.remove(19)
        await cache.removeAll()
        expectEqual(released.value, 21)
    }
}

/// Does something when it is released.
private final class Farewell: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    deinit { body() }
}

private final class Counter: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}

private final class Witness: Sendable {
    let cache: MemoryCache<Int, Witness>
    let released: Counter

    init(_ cache: MemoryCache<Int, Witness>, _ released: Counter) {
        (self.cache, self.released) = (cache, released)
    }

    deinit {
        _ = cache.contains(0)
        released.increment()
    }
}
