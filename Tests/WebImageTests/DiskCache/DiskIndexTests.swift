// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed)
struct DiskIndexTests {
    private func digest(_ number: Int) -> KeyDigest { KeyDigest(high: UInt64(number), low: UInt64(number)) }

    @Test func `the total is the sum of all records`() {
        var random = SeededGenerator(seed: 1)
        var index = DiskIndex()
        var sizes: [Int: Int] = [:]
        for _ in 0..<2_000 {
            let number = Int.random(in: 0..<50, using: &random)
            if Bool.random(using: &random) {
                sizes[number] = Int.random(in: 0...10_000, using: &random)
                index.set(digest(number), size: sizes[number] ?? 0, storedAt: 1, usedAt: 1)
            } else {
                sizes[number] = nil
                index.remove(digest(number))
            }
            expectEqual(index.totalBytes, sizes.values.reduce(0, +))
            expectEqual(index.count, sizes.count)
        }
    }

    @Test
    func `a listing replaces the records of a folder and forgets those of others, except what has changed meanwhile`() {
        // A listing replaces the records of a folder, except those changed meanwhile.
        var index = DiskIndex()
        // 256 and 512 lie in folder 0, as 0 does.
        for number in [0, 256, 512, 1] { index.set(digest(number), size: 100, storedAt: 5, usedAt: 50) }
        let listed = [(0, 30), (256, 40), (768, 50)].map { number, size in
            EntryFiles.Listed(digest(number), .regular(size: size, modifiedAt: 7, accessedAt: Int64(size)))
        }
        index.replace(folder: 0, with: listed, except: [digest(256), digest(1_024)])
        expectEqual(index[digest(0)], .init(size: 30, storedAt: 7, usedAt: 50))
        expectEqual(index[digest(256)], .init(size: 100, storedAt: 5, usedAt: 50), "changed meanwhile")
        expectNil(index[digest(512)])
        expectEqual(index[digest(768)], .init(size: 50, storedAt: 7, usedAt: 50), "as noted in the file")
        expectEqual(index[digest(1)]?.size, 100, "of another folder")
        expectEqual([index.totalBytes, index.count], [280, 4])
        index.replace(folder: 0, with: [], except: [])
        expectEqual([index.totalBytes, index.count], [100, 1])

        // A listing forgets the folders that are not there, except what has changed meanwhile.
        do {
            var index = DiskIndex()
            for number in [0, 256, 1, 2] { index.set(digest(number), size: 100, storedAt: 5, usedAt: 50) }
            index.forgetFolders(except: ["02", "ff"], changed: [digest(256)])
            expectAll(index[digest(0)] == nil, index[digest(1)] == nil)
            expectAll(index[digest(256)] != nil, index[digest(2)] != nil)
            expectEqual([index.totalBytes, index.count], [200, 2])
        }
    }

    @Test func `a warning passes once for each kind and sort, until that sort works again`() {
        var gate = WarningGate()
        var passed: [Bool] = []
        for (code, sort) in [
            (CacheError.Code.diskFull, WarningGate.Sort.writing), (.diskFull, .writing), (.readOnly, .writing),
            (.diskFull, .writing), (.diskFull, .reading),
        ] { passed.append(gate.shouldReport(CacheError(code: code, message: ""), during: sort)) }
        expectEqual(passed, [true, false, true, false, true])
        gate.recover(.writing)
        let full = CacheError(code: .diskFull, message: "Full.", path: "/cache", errno: 28)
        expectEqual("\(full)", "diskFull: Full. [/cache] (errno 28)")
        passed = [
            gate.shouldReport(full, during: .reading), gate.shouldReport(full, during: .writing),
            gate.shouldReport(full, during: .writing),
        ]
        expectEqual(passed, [false, true, false])
        expectEqual(gate.failures.count, 2)
        gate.recover(.reading)
        expectEqual(gate.failures[.writing]?.code, .diskFull)
        expectEqual(gate.failures.count, 1)
        _ = gate.shouldReport(full, during: .reading)
        gate.recover(.writing)
        expectEmpty(gate.failures, "a store shows that the folder works")
    }

    @Test(arguments: 0..<30) func `victims are those that a full sort would choose`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var index = DiskIndex()
        // In 256 folders. The age of each second one is unknown, as after a listing.
        for number in 0..<300 {
            index.set(
                digest(number), size: .random(in: 1...100_000, using: &random),
                storedAt: .random(in: 0...1_000, using: &random), usedAt: .random(in: 0...1_000, using: &random),
                number % 2 == 0 ? EntryMetadata(url: "") : nil)
        }
        let byteCount = Int.random(in: 1...5_000_000, using: &random)
        let limit = Int.random(in: 1...350, using: &random)
        let sorted = (0..<300).sorted { first, second in
            let scores = [first, second].map { number -> Double in
                guard let record = index[digest(number)] else { return 0 }
                if record.storedAt <= 100, number % 2 == 0 { return .infinity }
                return Double(max(1, 1_000 - Int(record.usedAt))) * Double(record.size + 512)
            }
            return (scores[1], first) < (scores[0], second)
        }
        var expected: [KeyDigest] = []
        var freed = 0
        for number in sorted.prefix(limit) where freed < byteCount {
            expected.append(digest(number))
            freed += index[digest(number)]?.size ?? 0
        }
        let victims = index.victims(
            toFree: byteCount, limit: limit, now: 1_000, lifetime: Lifetime(now: 1_000, maximumAge: .seconds(900)))
        expectEqual(victims.map(\.digest), expected)
    }

    @Test func `a clock set back or far ahead overflows nothing`() {
        var index = DiskIndex()
        index.set(digest(1), size: Int.max / 4, storedAt: .max, usedAt: .min)
        index.set(digest(2), size: 0, storedAt: .min, usedAt: .max)
        for now in [Int64.min, 0, Int64.max] {
            #expect(
                index.victims(toFree: 1, limit: 2, now: now, lifetime: Lifetime(now: now, maximumAge: .zero)).count >= 1
            )
        }
        expectEmpty(index.victims(toFree: 0, limit: 2, now: 0, lifetime: Lifetime(now: 0, maximumAge: .zero)))
    }

    @Test func `turns are given in order, and not to cancelled operations`() {
        var turns = KeyTurns()
        let key = digest(1)
        let isFirst = turns.take(key)
        expectAll(isFirst, turns.isTaken(key))
        let (second, third) = (turns.join(key), turns.join(key))
        second.resolve(false)
        turns.pass(key)
        expectAll(!third.resolve(false), turns.isTaken(key))
        turns.pass(key)
        expect(!turns.isTaken(key))
        expectEqual(turns.count, 0)
    }
}

extension FileSystem.Status {
    /// A file without distinguishing properties.
    static func regular(size: Int, modifiedAt: Int64, accessedAt: Int64 = 0) -> Self {
        Self(
            isRegularFile: true, size: size, modifiedAt: modifiedAt, accessedAt: accessedAt, device: 0, inode: 0,
            changedAt: .zero)
    }
}
