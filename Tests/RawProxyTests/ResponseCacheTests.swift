// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TestSupport
import Testing
import WebImage

@testable import raw_proxy

/// Whole responses in a disk cache, by the contract of `RawResponseStoring`.
struct ResponseCacheTests {
    /// Removed with the test.
    private final class Folder: Sendable {
        let url = FileManager.default.temporaryDirectory.appending(path: "raw-proxy-\(UUID().uuidString)")
        deinit { try? FileManager.default.removeItem(at: url) }
    }

    private let folder = Folder()
    private let disk: DiskCache
    private let target: CacheTarget

    init() throws {
        disk = DiskCache(.init(folder: folder.url.path))
        target = try required(URL(string: "https://site.example/page?x=1").flatMap { CacheTarget($0) })
    }

    private func response(_ number: Int, language: String = "") -> RawResponse {
        let time = HTTPDate(secondsSince1970: 1_767_225_600 + number)
        let head = ResponseHead(
            status: 200 + number % 3, headers: ["B": "1", "a": "\(number)", "b": "", "A": "again"], requestTime: time,
            responseTime: time.advanced(by: 1))
        let stored = StoredResponse(
            head: head, selectors: language.isEmpty ? [:] : ["accept-language": language],
            isInvalidated: number % 2 == 1)
        return RawResponse(stored: stored, body: (0..<(number * 1_000)).map { UInt8(truncatingIfNeeded: $0 ^ number) })
    }

    @Test func `a response comes back as it was, fields in order, after a restart, too`() async throws {
        let cache = ResponseCache(disk)
        for number in 0..<4 { try await cache.store(response(number, language: "\(number)"), for: target) }
        let expected = (0..<4).map { response($0, language: "\($0)") }
        try await expectEqual(cache.responses(for: target), expected)
        await expectEqual(disk.shutdown(within: .seconds(60)).abandonedOperations, 0)
        let other = DiskCache(.init(folder: folder.url.path))
        let found = try await ResponseCache(other).responses(for: target)
        expectEqual(found, expected)
        expectEqual(found.first?.stored.head.headers.map(\.name), ["B", "a", "b", "A"])
        _ = await other.shutdown(within: .seconds(60))
    }

    @Test func `a variant takes the place of its own earlier one, and at most sixteen are kept`() async throws {
        let cache = ResponseCache(disk)
        try await cache.store(response(1, language: "de"), for: target)
        try await cache.store(response(2, language: "en"), for: target)
        try await cache.store(response(3, language: "de"), for: target)
        try await expectEqual(cache.responses(for: target), [response(2, language: "en"), response(3, language: "de")])
        for number in 0..<16 { try await cache.store(response(0, language: "\(number)"), for: target) }
        let kept = try await cache.responses(for: target)
        expectEqual(kept.map { $0.stored.selectors["accept-language"] }, (0..<16).map { "\($0)" })
        _ = await disk.shutdown(within: .seconds(60))
    }

    /// A store that takes nothing above a size, and leaves the earlier entry as it is.
    private struct NarrowStore: CacheStoring {
        let disk: DiskCache

        func entry(for key: CacheKey) async throws -> DiskEntry? { try await disk.entry(for: key) }
        func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
            guard entry.bytes.count < 4_000 else { return .notStored(CacheError(code: .tooLarge, message: "")) }
            return try await disk.store(entry, for: key)
        }
        func renew(
            _ key: CacheKey, ifContentIs generation: ContentGeneration?,
            _ change: @escaping @Sendable (inout EntryMetadata) -> Void
        ) async throws -> StoreOutcome? { try await disk.renew(key, ifContentIs: generation, change) }
        func remove(_ key: CacheKey) async throws { try await disk.remove(key) }
        func removeAll() async throws { try await disk.removeAll() }
        func shutdown(within limit: Duration) async -> CacheShutdownReport { await disk.shutdown(within: limit) }
    }

    @Test func `an earlier entry does not stay in the place of one that the store does not take`() async throws {
        let cache = ResponseCache(NarrowStore(disk: disk))
        try await cache.store(response(1), for: target)
        try await expectEqual(cache.responses(for: target), [response(1)])
        try await cache.store(response(9), for: target)
        try await expectEqual(cache.responses(for: target), [])
        // The same when a variant of another kind is added, or a head grows.
        try await cache.store(response(2, language: "de"), for: target)
        try await cache.store(response(3, language: "en"), for: target)
        try await expectEqual(cache.responses(for: target), [])
        _ = await disk.shutdown(within: .seconds(60))
    }

    @Test func `a change is made of what is still kept, and a removal leaves no file`() async throws {
        let cache = ResponseCache(disk)
        let (first, second) = (response(1), response(2))
        try await cache.store(first, for: target)
        try await cache.store(second, for: target)
        try await cache.change(first.stored, to: nil, for: target)
        try await expectEqual(cache.responses(for: target), [second], "a later response has taken its place")
        var new = second.stored
        new.head.headers["X"] = "confirmed"
        try await cache.change(second.stored, to: new, for: target)
        try await expectEqual(cache.responses(for: target), [RawResponse(stored: new, body: second.body)])
        try await cache.change(new, to: nil, for: target)
        try await expectEqual(cache.responses(for: target), [])
        try await cache.store(first, for: target)
        try await cache.remove(target)
        try await expectEqual(cache.responses(for: target), [])
        await expectEqual(disk.totalBytes, 0)
        _ = await disk.shutdown(within: .seconds(60))
    }

    @Test func `variants that are stored at once are all kept`() async throws {
        let (cache, target) = (ResponseCache(disk), self.target)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                let response = response(number, language: "\(number)")
                group.addTask { try await cache.store(response, for: target) }
            }
            try await group.waitForAll()
        }
        let kept = try await cache.responses(for: target).compactMap { $0.stored.selectors["accept-language"] }
        expectEqual(Set(kept), Set((0..<12).map { "\($0)" }))
        _ = await disk.shutdown(within: .seconds(60))
    }

    @Test func `what is not whole is a miss`() throws {
        let whole = ResponseCache.encoded([response(1, language: "de")])
        expectEqual(ResponseCache.decoded(whole), [response(1, language: "de")])
        for length in stride(from: 1, to: whole.count, by: 7) {
            expectNil(ResponseCache.decoded(Array(whole[..<length])))
        }
        expectNil(ResponseCache.decoded(whole + [1]))
        expectNil(ResponseCache.decoded(Array([[UInt8]](repeating: whole, count: 17).joined())), "17 variants")
        let many = (0..<17).map { response(0, language: "\($0)") }
        expectNil(ResponseCache.decoded(ResponseCache.encoded(many)))
        expectEqual(ResponseCache.decoded(ResponseCache.encoded(Array(many.dropLast())))?.count, 16)
        var bent = response(1)
        bent.stored.head.headers["X"] = "a\r\nSet-Cookie: b"
        expectNil(ResponseCache.decoded(ResponseCache.encoded([bent])), "a field that would be two")
        bent = response(1)
        bent.stored.head.headers.append(name: "X: a\r\nSet-Cookie", value: "b")
        expectNil(ResponseCache.decoded(ResponseCache.encoded([bent])), "a name that would be two")
        for status in [99, 1_000] {
            bent = response(1)
            bent.stored.head.status = status
            expectNil(ResponseCache.decoded(ResponseCache.encoded([bent])), "the status \(status)")
        }
        let text = String(decoding: ResponseCache.encoded([response(0)]), as: UTF8.self)
        let rows = [
            ("[\"B\",\"1\"]", "[\"B\"]    "), ("\"B\",\"1\"", "\"\",\"1\" "),
            ("[\"A\",\"again\"]", "[\"A\",\"a\",\"b\"]"),
        ]
        for (part, other) in rows {
            expect(text.contains(part))
            expectNil(ResponseCache.decoded(Array(text.replacing(part, with: other).utf8)), "\(other)")
        }
        for broken in [Array("-0000001[]".utf8), Array("-fffffff[]".utf8), Array("0000000".utf8)] {
            expectNil(ResponseCache.decoded(broken))
        }
    }
}
