// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import raw_proxy

/// A response as the proxy has kept it for a request with one field.
private func stored(_ fields: HTTPHeaders, accept: String = "") -> StoredResponse {
    let time = HTTPDate(secondsSince1970: 1_767_225_600)
    let head = ResponseHead(status: 200, headers: fields, requestTime: time, responseTime: time)
    let asked: HTTPHeaders = accept.isEmpty ? [:] : ["Accept": accept]
    return StoredResponse(head: head, selectors: HTTPCacheRules.shared.selectors(for: asked, in: fields) ?? [:])
}

struct RawResponseTableTests {
    private func target(_ number: Int) throws -> CacheTarget {
        try #require(URL(string: "https://example.org/\(number)").flatMap { CacheTarget($0) })
    }

    private func response(_ variant: String, byteCount: Int, age: Int = 0) -> RawResponse {
        RawResponse(
            stored: stored(["Vary": "Accept", "Age": "\(age)"], accept: variant),
            body: [UInt8](repeating: 7, count: byteCount))
    }

    @Test func `a variant takes the place of the one with its key`() throws {
        var table = RawResponseTable(byteLimit: 10_000)
        let target = try target(1)
        table.store(response("a", byteCount: 10), for: target)
        table.store(response("b", byteCount: 20), for: target)
        table.store(response("a", byteCount: 30), for: target)
        expectEqual(table.responses(for: target).map(\.body.count), [20, 30])
        table.remove(target)
        expectEqual(table.byteCount, 0)
        expectEqual(table.addressCount, 0)
    }

    @Test func `a change of what was replaced meanwhile is dropped`() throws {
        var table = RawResponseTable(byteLimit: 10_000)
        let target = try target(1)
        let (old, new) = (response("a", byteCount: 10), response("a", byteCount: 20, age: 5))
        table.store(old, for: target)
        table.store(new, for: target)
        table.change(old.stored, to: nil, for: target)
        expectEqual(table.responses(for: target), [new])
        var ended = new.stored
        ended.isInvalidated = true
        table.change(new.stored, to: ended, for: target)
        expectEqual(table.responses(for: target).map(\.stored), [ended])
        expectEqual(table.responses(for: target).map(\.body.count), [20])
        table.change(ended, to: nil, for: target)
        expectEqual(table.addressCount, 0)
        expectEqual(table.byteCount, 0)
    }

    @Test func `the address used least recently goes first, and of one address its oldest variants`() throws {
        var table = RawResponseTable(byteLimit: 100_000)
        for number in 0..<4 { table.store(response("a", byteCount: 20_000), for: try target(number)) }
        expectEqual(table.addressCount, 4)
        _ = table.responses(for: try target(0))
        table.store(response("a", byteCount: 20_000), for: try target(4))
        expectEqual(table.responses(for: try target(0)).count, 1)
        expect(table.responses(for: try target(1)).isEmpty)
        table.store(response("a", byteCount: 25_001), for: try target(5))
        expect(table.responses(for: try target(5)).isEmpty)
        table.byteLimit = 50_000
        expectEqual(table.addressCount, 2)
        expectEqual(table.responses(for: try target(4)).count, 1)
        let most = RawResponseTable.maximumVariantCount
        for variant in 0...most { table.store(response("\(variant)", byteCount: 10), for: try target(6)) }
        expectEqual(table.responses(for: try target(6)), (1...most).map { response("\($0)", byteCount: 10) })
        var one = RawResponseTable(byteLimit: 100_000)
        for variant in 0..<8 { one.store(response("\(variant)", byteCount: 22_000), for: try target(1)) }
        let kept = one.responses(for: try target(1))
        expectEqual(kept.map { $0.stored.selectors["accept"] }, ["4", "5", "6", "7"])
        for variant in 0..<18 { one.store(response("\(variant)", byteCount: 1), for: try target(2)) }
        let small = one.responses(for: try target(2))
        expectEqual(small.map { $0.stored.selectors["accept"] }, (2..<18).map { "\($0)" })
    }

    @Test(arguments: Seeds.first(50)) func `the bytes are those of what is kept, within the limit`(seed: UInt64) throws
    {
        var (generator, table) = (SeededGenerator(seed: seed), RawResponseTable(byteLimit: 50_000))
        let targets = try (0..<6).map(target)
        for _ in 0..<60 {
            let target = targets[Int.random(in: 0..<6, using: &generator)]
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: table.remove(target)
            case 1:
                guard let first = table.responses(for: target).first else { continue }
                let isRemoved = Bool.random(using: &generator)
                table.change(first.stored, to: isRemoved ? nil : stored(["A": "bcd"]), for: target)
            default:
                let variant = String(Int.random(in: 0..<20, using: &generator))
                let size = Int.random(in: 0..<12_000, using: &generator)
                table.store(response(variant, byteCount: size), for: target)
            }
            expect(table.byteCount, <=, 50_000)
        }
        let kept = targets.map { table.responses(for: $0) }
        expect(kept.allSatisfy { $0.count <= RawResponseTable.maximumVariantCount })
        expectEqual(kept.count { !$0.isEmpty }, table.addressCount)
        // The same, stored once: each address alone.
        let bytes = zip(targets, kept).reduce(0) { sum, entry in
            var alone = RawResponseTable(byteLimit: 500_000)
            for response in entry.1 { alone.store(response, for: entry.0) }
            return sum + alone.byteCount
        }
        expectEqual(bytes, table.byteCount)
    }

    @Test(.enabled(if: hasSystemAllocator))
    func `the bytes are those that the allocator gives, within a fifth`() async {
        await #expect(processExitsWith: .success) {
            for (padding, length) in [(8_000, 0), (20, 0), (20, 500), (300, 20_000)] {
                let (table, given) = heapGrowth {
                    var table = RawResponseTable(byteLimit: 8_000_000)
                    for number in 0..<5_000 {
                        // As it arrives: a text without room for more.
                        let text = "http://a.example/\(number)?" + String(repeating: "x", count: padding)
                        let url = URL(string: String(decoding: Array(text.utf8), as: UTF8.self))
                        guard let target = url.flatMap({ CacheTarget($0) }) else { continue }
                        let fields: HTTPHeaders = ["Vary": "Accept", "ETag": "\"\(number)-0123456789abcdef\""]
                        let head = stored(fields, accept: "\(number % 3)")
                        table.store(RawResponse(stored: head, body: .init(repeating: 7, count: length)), for: target)
                    }
                    return table
                }
                let counted = table.byteCount
                expect(abs(given - counted) * 5, <=, given, "\(padding), \(length): \(counted) for \(given)")
            }
        }
    }
}
