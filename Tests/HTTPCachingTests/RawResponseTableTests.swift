// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import Testing
import WebImageTesting

struct RawResponseTableTests {
    private func target(_ number: Int) throws -> CacheTarget {
        try #require(URL(string: "https://example.org/\(number)").flatMap { CacheTarget($0) })
    }

    private func response(_ variant: String, byteCount: Int, age: Int = 0) -> RawResponse {
        RawResponse(
            stored: stored("Vary: Accept | Age: \(age)", for: "Accept: \(variant)"),
            body: [UInt8](repeating: 7, count: byteCount))
    }

    @Test func `a variant takes the place of the one with its key`() throws {
        var table = RawResponseTable(byteLimit: 10_000)
        let target = try target(1)
        table.store(response("a", byteCount: 10), for: target)
        table.store(response("b", byteCount: 20), for: target)
        table.store(response("a", byteCount: 30), for: target)
        #expect(table.responses(for: target).map(\.body.count) == [20, 30])
        #expect(table.byteCount == table.responses(for: target).map(\.byteCount).reduce(0, +))
        table.remove(target)
        #expect(table.byteCount == 0 && table.count == 0)
    }

    @Test func `a change of what was replaced meanwhile is dropped`() throws {
        var table = RawResponseTable(byteLimit: 10_000)
        let target = try target(1)
        let (old, new) = (response("a", byteCount: 10), response("a", byteCount: 20, age: 5))
        table.store(old, for: target)
        table.store(new, for: target)
        table.change(old.stored, to: nil, for: target)
        #expect(table.responses(for: target) == [new])
        var ended = new.stored
        ended.isInvalidated = true
        table.change(new.stored, to: ended, for: target)
        #expect(table.responses(for: target).map(\.stored) == [ended])
        #expect(table.responses(for: target).map(\.body.count) == [20])
        table.change(ended, to: nil, for: target)
        #expect(table.count == 0 && table.byteCount == 0)
    }

    @Test func `the address used least recently goes first`() throws {
        var table = RawResponseTable(byteLimit: 1_000)
        for number in 0..<4 { table.store(response("a", byteCount: 200), for: try target(number)) }
        #expect(table.count == 4)
        _ = table.responses(for: try target(0))
        table.store(response("a", byteCount: 200), for: try target(4))
        #expect(table.responses(for: try target(0)).count == 1)
        #expect(table.responses(for: try target(1)).isEmpty)
        table.store(response("a", byteCount: 251), for: try target(5))
        #expect(table.responses(for: try target(5)).isEmpty)
    }

    @Test(arguments: Seeds.first(50)) func `the bytes are the sum of what is kept, within the limit`(seed: UInt64)
        throws
    {
        var (generator, table) = (SeededGenerator(seed: seed), RawResponseTable(byteLimit: 5_000))
        let targets = try (0..<6).map(target)
        for _ in 0..<60 {
            let target = targets[Int.random(in: 0..<6, using: &generator)]
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: table.remove(target)
            case 1:
                guard let first = table.responses(for: target).first else { continue }
                let isRemoved = Bool.random(using: &generator)
                table.change(first.stored, to: isRemoved ? nil : stored("A: bcd"), for: target)
            default:
                let variant = String(Int.random(in: 0..<20, using: &generator))
                let size = Int.random(in: 0..<1_500, using: &generator)
                table.store(response(variant, byteCount: size), for: target)
            }
            #expect(table.byteCount <= 5_000)
        }
        let kept = targets.map { table.responses(for: $0) }
        #expect(kept.flatMap { $0 }.map(\.byteCount).reduce(0, +) == table.byteCount)
        #expect(kept.allSatisfy { $0.count <= RawResponseTable.maximumVariantCount })
        #expect(kept.map(\.count).reduce(0, +) == table.count)
    }
}
