// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed)
struct IndexTableTests {
    /// Digests of one folder; many agree in one of their halves.
    private static func digest(_ number: UInt64) -> KeyDigest {
        KeyDigest(high: (number % 16) << 8 | 7, low: number / 16 % 16 &* 0x0101_0101)
    }

    private static func record(using random: inout SeededGenerator) -> DiskIndex.Record {
        DiskIndex.Record(
            size: .random(in: 0...DiskIndex.Record.maximumByteCount, using: &random),
            storedAt: .random(in: 0 ... .max, using: &random), usedAt: .random(in: 0 ... .max, using: &random),
            keptUntil: .random(in: 1 ... .max, using: &random))
    }

    @Test(arguments: 0..<20) func `the table does the same as a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (table, model) = (IndexTable(folder: 7), [KeyDigest: DiskIndex.Record]())
        for step in 0..<1_500 {
            // Grows, then shrinks.
            let digest = Self.digest(.random(in: 0..<256, using: &random))
            if Int.random(in: 0..<1_500, using: &random) > step {
                let record = Self.record(using: &random)
                table.set(record, for: digest)
                model[digest] = record
            } else if Bool.random(using: &random) {
                table.remove(digest)
                model[digest] = nil
            } else {
                table.update(digest) { $0.usedAt = 5 }
                model[digest]?.usedAt = 5
            }
            #expect(table[digest] == model[digest])
            guard step.isMultiple(of: 50) else { continue }
            for number in 0..<UInt64(256) { #expect(table[Self.digest(number)] == model[Self.digest(number)]) }
            #expect(table.count == model.count)
            #expect(table.totalBytes == model.values.reduce(0) { $0 + $1.size })
            #expect(Dictionary(table.map { ($0.key, $0.value) }) { $1 } == model)
            #expect(table.map(\.key).count == model.count, "each once")
        }
    }

    @Test func `a file costs at most 64 bytes, whether the table grows or shrinks`() {
        #expect(MemoryLayout<IndexTable.Place>.stride == 32)
        var random = SeededGenerator(seed: 1)
        var table = IndexTable(folder: 0)
        let digests = (0..<10_000).map { _ in KeyDigest(high: random.next() << 8, low: random.next()) }
        var costs: [Int] = []
        for digest in digests {
            table.set(.init(size: 1, storedAt: 1, usedAt: 1), for: digest)
            costs.append(table.places.count * 32 / table.count)
        }
        for digest in digests.dropLast(64) {
            table.remove(digest)
            costs.append(table.places.count * 32 / table.count)
        }
        #expect(costs.dropFirst(10).allSatisfy { $0 <= 64 }, "\(costs.dropFirst(10).max() ?? 0)")
    }

    @Test func `a copy keeps what it had`() {
        var table = IndexTable(folder: 7)
        table.set(.init(size: 1, storedAt: 1, usedAt: 1), for: Self.digest(1))
        let copy = table
        table.update(Self.digest(1)) { $0.usedAt = 9 }
        table.remove(Self.digest(1))
        #expect(copy[Self.digest(1)]?.usedAt == 1)
        #expect((copy.count, table.count, table.totalBytes) == (1, 0, 0))
    }
}
