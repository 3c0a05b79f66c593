// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.replayed)
struct BodyCollectorTests {
    /// What the blocks may take beyond the bytes in them.
    private static let allowance = 64 << 10

    private static let reference = SeededGenerator.bytes(count: 4_000_000)

    private static func bytes(_ count: Int, from start: Int = 0) -> [UInt8] {
        Array(reference[start..<start + count])
    }

    /// An array with room for more, as arrays that grew have.
    private static func roomy(_ count: Int, from start: Int, capacity: Int) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.reserveCapacity(capacity)
        chunk.append(contentsOf: bytes(count, from: start))
        return chunk
    }

    @Test(arguments: [1, 700, 16 << 10, 40_000, 64 << 10, 300_000], [nil, 1, 50_000, 2_000_000, .max] as [Int?])
    func `memory follows the bytes that came, whatever was announced`(_ size: Int, _ announced: Int?) {
        let whole = Self.bytes(size == 1 ? 80_000 : 1_200_000)
        var collector = BodyCollector(expecting: announced)
        var excess = 0
        while collector.count < whole.count {
            collector.append(Array(whole[collector.count...].prefix(size)))
            excess = max(excess, collector.capacity - collector.count)
        }
        // While the blocks are joined there is also the result.
        expect(excess, <=, Self.allowance)
        let count = collector.count
        let result = collector.finish()
        expectEqual(result, whole)
        expect(result.capacity, <=, 2 * count + Self.allowance)
        // The blocks have made way for the result.
        expectEqual(collector.blocks, [whole])
        expectEqual([collector.count, collector.capacity], [count, result.capacity])
    }

    @Test(arguments: Seeds.first(20)) func `chunks of every size and room stay in order and within the allowance`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var collector = BodyCollector(expecting: Bool.random(using: &random) ? 1 << 20 : nil)
        for _ in 0..<30 {
            let count = Int.random(in: 0...(1 << Int.random(in: 0...17, using: &random)), using: &random)
            let room = Bool.random(using: &random) ? 2 * count : count + Int.random(in: 0...8_192, using: &random)
            collector.append(Self.roomy(count, from: collector.count, capacity: room))
            expect(collector.capacity, <=, collector.count + Self.allowance)
            expectEqual(collector.beginning, Self.bytes(min(collector.count, 1_024)))
        }
        let count = collector.count
        expectEqual(collector.finish(), Self.bytes(count))
    }

    @Test func `neither the unused room of chunks nor an announcement takes memory`() {
        var collector = BodyCollector()
        for _ in 0..<40 {
            collector.append(Self.roomy(20_000, from: collector.count, capacity: 26_000))
            expect(collector.capacity, <=, collector.count + Self.allowance)
        }
        expectEqual(collector.finish(), Self.bytes(800_000))
        // A chunk in a huge array does not keep that array.
        collector = BodyCollector()
        collector.append(Self.roomy(10, from: 0, capacity: 10_000_000))
        expect(collector.capacity, <=, 10 + Self.allowance)
        expectEqual(collector.finish(), Self.bytes(10))
        for announced in [Int.max, .min, -1, 0] {
            collector = BodyCollector(expecting: announced)
            expectEqual(collector.capacity, 0, "\(announced)")
            collector.append([1])
            collector.append([2])
            expect(collector.capacity, <=, Self.allowance, "\(announced)")
            expectEqual(collector.finish(), [1, 2], "\(announced)")
        }
    }

    @Test func `a chunk that stays alone is the result without a copy`() {
        let chunk = Self.bytes(100_000)
        var collector = BodyCollector(expecting: 100_000)
        collector.append(chunk)
        collector.append([])
        let result = collector.finish()
        let place = { (bytes: [UInt8]) in unsafe bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        expectEqual(place(result), place(chunk))
    }
}
