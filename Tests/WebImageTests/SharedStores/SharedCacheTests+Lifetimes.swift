// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// How long what machines share counts.
extension SharedCacheTests {
    @Test func `an entry is shared as long as its own age says, and a use prolongs a sliding one`() async throws {
        for (age, expected) in [
            (nil, Duration.seconds(86_400)), (.absolute(.seconds(60)), .seconds(60)),
            (.sliding(.seconds(70)), .seconds(70)), (.never, .seconds(10_000_000_000)),
        ] as [(CacheAge?, Duration)] {
            let store = ScriptedStore()
            let (one, other) = (SharedCache(local: nil, stores: [store]), SharedCache(local: nil, stores: [store]))
            var entry = sampleEntry(1)
            entry.metadata.sharedAge = age
            _ = try await one.store(entry, for: original)
            await settle(one)
            // What is known about an original stays with what was made of it.
            expectEqual(store.present.lifetimes, [max(expected, .seconds(86_400)), expected])
            try await expect(other.entry(for: original) != nil)
            await settle(other)
            expectEqual(store.present.prolonged[SharedKey(original)], age?.isSliding == true ? expected : nil)
            let outlives = age?.isSliding == true || expected > .seconds(86_400)
            expectEqual(
                store.present.prolonged[.about(original)], outlives ? max(expected, .seconds(86_400)) : nil)
        }
        var over = sampleEntry(1)
        over.metadata.sharedAge = .absolute(.zero)
        _ = try await one.store(over, for: file)
        await settle(one)
        expectEmpty(store.present.values)
    }

    @Test func `a file that outlives the word of a removal counts while its original is known`() async throws {
        let time = TestTime()
        var configuration = SharedCache.Configuration()
        configuration.now = { time.now }
        let one = SharedCache(local: nil, stores: [store], configuration: configuration)
        let other = SharedCache(local: nil, stores: [store], configuration: configuration)
        _ = try await one.store(sampleEntry(1), for: original)
        var lasting = made(of: 1)
        lasting.metadata.sharedAge = .never
        _ = try await one.store(lasting, for: file)
        try await flush(one)
        expectEqual(store.present.prolonged, [.about(original): .seconds(10_000_000_000)])
        time.advance(by: .seconds(1_000_000))
        try await expect(other.entry(for: file, madeFrom: original) != nil)
        try await one.removeAll(madeFrom: original)
        expectEqual(store.present.lifetimes.last, .seconds(86_520), "clocks may differ by a minute")
        // The word has ended.
        time.advance(by: .seconds(86_400))
        store.change { [original] in $0.values[.about(original)] = nil }
        // A store in trouble may know the original.
        let broken = ScriptedStore()
        broken.change { $0.isBroken = true }
        let unsure = SharedCache(local: nil, stores: [broken, store], configuration: configuration)
        try await expectNil(unsure.entry(for: file, madeFrom: original))
        try await flush(unsure)
        expect(store.present.values[SharedKey(file)] != nil)
        try await expectNil(other.entry(for: file, madeFrom: original))
        try await flush(other)
        expectNil(store.present.values[SharedKey(file)], "others wait for the one that makes it again")
        // A file that is younger than such a word counts.
        _ = try await one.store(lasting, for: file)
        try await flush(one)
        time.advance(by: .seconds(86_399))
        try await expect(other.entry(for: file, madeFrom: original) != nil)
        time.advance(by: .seconds(1))
        try await expectNil(other.entry(for: file, madeFrom: original))
    }

    @Test func `what is known about a confirmed original lasts as long as the original, and no shorter than the limit`()
        async throws
    {
        for (age, expected) in [
            (nil, 86_400), (.absolute(.seconds(60)), 86_400), (.sliding(.seconds(90_000)), 90_000),
            (.never, 10_000_000_000),
        ] as [(CacheAge?, Int64)] {
            var entry = sampleEntry(1)
            entry.metadata.sharedAge = age
            _ = try await one.store(entry, for: original)
            try await flush(one)
            let count = store.present.lifetimes.count
            try await expectEqual(one.renew(original, ifContentIs: nil) { $0.etag = "y" }?.isStored, true)
            try await flush(one)
            expectEqual(store.present.lifetimes[count...], [.seconds(expected)])
        }
    }
}
