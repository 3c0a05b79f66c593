// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a cache learns of the others on its folder, and what it tells them.
@Suite(.replayed)
struct NeighbourTests {
    private enum Removal: CaseIterable { case expired, everything, trim, begin }

    @Test func `a cache that trims knows what another has removed, in whichever way`() throws {
        for removal in Removal.allCases {
            let time = TestTime()
            var stage = try SeededStage(seed: 1, maximumByteCount: 1 << 20, time: time)
            let other = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            let filling = Probe(on: stage.executor) {
                for number in 0..<20 {
                    var entry = sampleEntry(number, size: 1_000)
                    if number > 4 { entry.metadata.age = .absolute(.seconds(60)) }
                    _ = try await other.store(entry, for: CacheKey("\(number)"))
                }
            }
            stage.run()
            expect(filling.value != nil)
            expectEqual(stage.outcome { await $0.entryCount }.value, 20)
            time.advance(by: .seconds(61))
            let next = stage.makeNeighbour(maximumByteCount: 10_000, time: time)
            let end = Probe(on: stage.executor) {
                switch removal {
                case .expired: _ = try await other.removeExpired()
                case .everything: try await other.removeAll()
                case .trim: try await other.trim(toBytes: 6_000)
                case .begin: _ = try await next.contains(CacheKey("none"))
                }
            }
            stage.run()
            expectAll(end.value != nil, stage.folder.entryFiles.count < 20)
            _ = stage.outcome { try await $0.trim(toBytes: 1 << 20) }
            expectEqual(stage.outcome { await $0.index.totalBytes }.value, stage.folder.entryBytes, "\(removal)")
            expectEqual(stage.outcome { await $0.index.count }.value, stage.folder.entryFiles.count, "\(removal)")
            expectEqual(stage.leftovers(), [])
        }
    }

    @Test(arguments: Seeds.first(40))
    func `a cache finds the entry that another renews while it removes it, if that is there`(seed: UInt64) throws {
        var stage = try SeededStage(seed: seed, maximumByteCount: 1 << 20)
        let (first, second) = (stage.cache, stage.makeNeighbour(maximumByteCount: 1 << 20))
        let key = CacheKey("k")
        _ = stage.outcome { try await $0.store(sampleEntry(), for: key) }
        let listing = Probe(on: stage.executor) { await second.entryCount }
        stage.run()
        expectEqual(listing.value, 1)
        let renewal = Probe(on: stage.executor) { try await first.renew(key) { $0.etag = "new" } }
        let removal = Probe(on: stage.executor) {
            for _ in 0..<seed % 8 { await Task.yield() }
            try await second.remove(key)
        }
        stage.run()
        expectAll(renewal.result != nil, removal.value != nil)
        let found = Probe(on: stage.executor) { try await second.contains(key) }
        stage.run()
        expectEqual(found.value, !stage.folder.entryFiles.isEmpty)
    }

    @Test func `a pipe in the place of the account is replaced, and not kept open`() throws {
        var stage = try SeededStage(seed: 1)
        let account = stage.folder.path + "/account"
        expectEqual(unsafe mkfifo(account, 0o600), 0)
        let reader = unsafe open(account, O_RDONLY | O_NONBLOCK)
        expectEqual(stage.outcome { try await $0.store(sampleEntry(), for: CacheKey("k")).isStored }.value, true)
        close(reader)
        let type = try FileManager.default.attributesOfItem(atPath: account)[.type]
        expect(type as? FileAttributeType == .typeRegular)
        expectEqual(stage.folder.accountDescriptors.count, 1)
    }
}
