// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// A process that is killed before one of its system calls: that call and all later ones have no effect, but for the
/// descriptors, which the kernel closes.
@Suite(.replayed)
struct EndedProcessTests {
    private static let keys = (0..<4).map { CacheKey("https://images.example/\($0)") }

    /// Every operation that changes the folder, then the end.
    @concurrent private static func work(_ cache: DiskCache) async throws {
        for number in 0..<6 {
            _ = try await cache.store(sampleEntry(number, size: 100 + number), for: keys[number % 4])
        }
        _ = try await cache.entry(for: keys[0])
        try await cache.renew(keys[1], ifContentIs: nil) { $0.etag = "new" }
        try await cache.remove(keys[2])
        _ = try await cache.store(sampleEntry(7, size: 107), for: keys[3])
        try await cache.trim(toBytes: 1_000)
        _ = try await cache.store(sampleEntry(8, size: 104), for: keys[0])
        _ = await cache.shutdown(within: .seconds(60))
    }

    /// The bytes that were ever stored for a key.
    private static func bytes(of number: Int) -> [[UInt8]] {
        let entries = [0: [0, 4], 1: [1, 5], 2: [2], 3: [3, 7]][number] ?? []
        let versions = entries.map { sampleEntry($0, size: 100 + $0).bytes }
        return number == 0 ? versions + [sampleEntry(8, size: 104).bytes] : versions
    }

    @Test func `a process that ends before any of its calls leaves a sound folder to the next one`() throws {
        var (place, isDone) = (0, false)
        var found = Set<Int>()
        while !isDone {
            place += 1
            let (faults, time) = (FaultPlan(), TestTime())
            faults.set { [place] count, _ in count >= place ? .failure(EIO) : nil }
            var stage = try SeededStage(seed: 1, maximumByteCount: 1 << 20, time: time, system: faults.system)
            _ = stage.outcome(of: Self.work)
            isDone = faults.count < place
            // The next process has another name for its unfinished files.
            let unfinished = stage.folder.unfinishedFiles
            for (number, name) in unfinished.enumerated() {
                let temporary = stage.folder.path + "/tmp/"
                try FileManager.default.moveItem(atPath: temporary + name, toPath: temporary + "deadbeef-\(number)")
            }
            let next = stage.makeNeighbour(maximumByteCount: 1 << 20, time: time)
            let check = Probe(on: stage.executor) {
                var present: [Int: [UInt8]] = [:]
                for number in 0..<4 { present[number] = try await next.entry(for: Self.keys[number])?.bytes }
                return (present, await next.totalBytes, await next.statistics)
            }
            stage.run()
            let (present, totalBytes, statistics) = try required(check.value, "call \(place)")
            for (number, bytes) in present {
                expect(Self.bytes(of: number).contains(bytes), "call \(place)")
                found.insert(number)
            }
            expectEqual(totalBytes, stage.folder.entryBytes, "call \(place)")
            expectEqual(
                [statistics.damagedEntries, statistics.abandonedFiles], [0, unfinished.count], "call \(place)")
            expectEmpty(stage.folder.unfinishedFiles, "call \(place)")
            expectEqual(stage.leftovers(of: next), [], "call \(place)")
        }
        expect(place, >, 100, "it makes calls")
        expectEqual(found, [0, 1, 2, 3], "and leaves entries")
    }
}
