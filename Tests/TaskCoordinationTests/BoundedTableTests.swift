// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

@Suite(.replayed) struct BoundedTableTests {
    private typealias Table = BoundedTable<Int, Int>

    /// Entries in order of their last use, searched one by one.
    private struct Model {
        var entries: [(key: Int, value: Int, cost: Int)] = []
        var byteLimit: Int
        let countLimit: Int
        var byteCount: Int { entries.map(\.cost).reduce(0, +) }

        mutating func take(_ key: Int) -> (key: Int, value: Int, cost: Int)? {
            entries.firstIndex { $0.key == key }.map { entries.remove(at: $0) }
        }

        mutating func store(_ value: Int, _ key: Int, _ bytes: Int) -> Bool {
            _ = take(key)
            let cost = bytes + Table.overhead
            guard cost <= byteLimit else { return false }
            if entries.count == countLimit { entries.removeFirst() }
            entries.append((key, value, cost))
            trim(to: byteLimit)
            return true
        }

        mutating func trim(to bytes: Int) { while byteCount > max(0, bytes) { entries.removeFirst() } }
    }

    @Test(arguments: Seeds.first(40)) func `does what a list does, and counts the bytes of what it holds`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        let (byteLimit, countLimit) = (Int.random(in: 300...9_000, using: &random), [12, .max][Int(seed % 2)])
        var (table, model) = (
            Table(byteLimit: byteLimit, countLimit: countLimit), Model(byteLimit: byteLimit, countLimit: countLimit)
        )
        for step in 0..<600 {
            let key = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<10:
                let bytes = Int.random(in: 0..<1_000, using: &random)
                expectEqual(table.store(step, for: key, heapByteCount: bytes), model.store(step, key, bytes))
            case 10..<13:
                let used = model.take(key)
                if let used { model.entries.append(used) }
                expectEqual(table.use(key), used?.value)
            case 13..<16: expectEqual(table.remove(key), model.take(key)?.value)
            case 16:
                table.removeOldest()
                if !model.entries.isEmpty { model.entries.removeFirst() }
            case 17:
                let bytes = Int.random(in: -10..<byteLimit, using: &random)
                table.trim(to: bytes)
                model.trim(to: bytes)
            case 18:
                let limit = Int.random(in: 0...byteLimit, using: &random)
                (table.byteLimit, model.byteLimit) = (limit, limit)
                model.trim(to: limit)
            default:
                (table.byteLimit, model.byteLimit) = (byteLimit, byteLimit)
                if Int.random(in: 0..<20, using: &random) == 0 {
                    table.removeAll()
                    model.entries = []
                }
            }
            expectEqual(table.byteCount, model.byteCount)
            expectEqual(table.count, model.entries.count)
            expectEqual(table.oldest?.key, model.entries.first?.key)
            expectEqual(table.oldest?.value, model.entries.first?.value)
            for entry in model.entries { expectEqual(table[entry.key], entry.value) }
        }
    }

    @Test
    func `an entry without bytes is one of at most as many as the limit, and a value is released when it leaves`() {
        var table = BoundedTable<Int, Void>(byteLimit: 1_000, countLimit: 0)
        expectAll(!table.store((), for: 1, heapByteCount: 0), table.count == 0)
        table = BoundedTable(byteLimit: -1)
        expectAll(!table.store((), for: 1, heapByteCount: -5), table.byteCount == 0, table.use(1) == nil)

        // All of the limit may be taken.
        let cost = BoundedTable<Int, Void>.overhead + 8
        for count in 1...2 {
            table = BoundedTable(byteLimit: count * cost)
            for key in 1...count { expect(table.store((), for: key, heapByteCount: 8)) }
            expectEqual([table.count, table.byteCount], [count, count * cost])
        }

        // A value is released when it leaves.
        do {
            final class Witness {}
            var table = BoundedTable<Int, Witness>(byteLimit: 10_000)
            weak var first: Witness?
            do {
                let witness = Witness()
                first = witness
                table.store(witness, for: 1, heapByteCount: 0)
                table.store(Witness(), for: 2, heapByteCount: 0)
            }
            expect(first != nil)
            table.remove(1)
            expectNil(first)
            expectEqual(table.count, 1)
        }
    }

    @Test func `sizes on the heap are those of the allocator, and short texts have none`() {
        expectEqual([0, 24, 25, 40, 41].map { HeapSize.allocation($0) }, [32, 32, 48, 48, 64])
        expectEqual([0, 15, 16].map { HeapSize.of(String(repeating: "a", count: $0)) }, [0, 0, 64])
        expectEqual([HeapSize.of([UInt8]()), HeapSize.of([1] as [UInt8])], [0, 48])
    }

    @Test(.enabled(if: hasSystemAllocator))
    func `the bytes are those that the allocator gives, within a fifth, also of a table that was trimmed`() async {
        await #expect(processExitsWith: .success) {
            func filled(_ count: Int, _ length: Int) -> BoundedTable<String, [UInt8]> {
                var table = BoundedTable<String, [UInt8]>(byteLimit: .max)
                for number in 0..<count {
                    let key = String(decoding: [UInt8](repeating: 107, count: length) + "\(number)".utf8, as: UTF8.self)
                    let value = [UInt8](repeating: 1, count: length)
                    table.store(value, for: key, heapByteCount: HeapSize.of(key) + HeapSize.of(value))
                }
                return table
            }
            for length in [40, 100, 1_000, 8_000] {
                for count in [3_000, 4_000, 5_000] {
                    let (table, given) = heapGrowth { filled(count, length) }
                    expect(abs(given - table.byteCount) * 5, <=, given, "\(length): \(table.byteCount) for \(given)")
                }
                let (table, given) = heapGrowth {
                    var table = filled(5_000, length)
                    table.trim(to: table.byteCount / 20)
                    return table
                }
                expect(abs(given - table.byteCount) * 5, <=, given, "\(length): \(table.byteCount) for \(given)")
            }
        }
    }
}
