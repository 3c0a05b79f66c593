// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImage

@testable import ImageServer

@Suite struct RecentHitsTests {
    private static let key = RecentHits.Key(target: "/w1/unsigned/a", acceptsWebP: false)

    private func answer(_ body: [UInt8] = [1, 2, 3]) -> Answer { Answer(200, [("ETag", "\"a\"")], body: body) }

    @Test func `an answer is there until the end of its second`() throws {
        let hits = RecentHits()
        hits.keep(answer(), for: Self.key, at: 5)
        expectEqual(hits.answer(for: Self.key, at: 5)?.body, [1, 2, 3])
        expectNil(hits.answer(for: .init(target: Self.key.target, acceptsWebP: true), at: 5))
        expectNil(hits.answer(for: Self.key, at: 6))
        hits.keep(answer([4]), for: .init(target: "/b", acceptsWebP: false), at: 6)
        expectNil(hits.answer(for: Self.key, at: 6))
        expectNil(hits.answer(for: Self.key, at: 5))
    }

    @Test func `the table is bounded in answers and bytes`() {
        let few = RecentHits(limit: 2)
        for number in 0..<3 { few.keep(answer(), for: .init(target: "/\(number)", acceptsWebP: false), at: 1) }
        let kept = (0..<3).filter { few.answer(for: .init(target: "/\($0)", acceptsWebP: false), at: 1) != nil }
        expectEqual(kept, [0, 1])
        let one = RecentHits()
        one.keep(answer(), for: Self.key, at: 1)
        let small = RecentHits(byteLimit: one.byteCount)
        small.keep(answer([UInt8](repeating: 0, count: 40)), for: Self.key, at: 1)
        expectNil(small.answer(for: Self.key, at: 1))
        expectEqual(small.byteCount, 0)
        small.keep(answer(), for: Self.key, at: 1)
        expectAll(small.answer(for: Self.key, at: 1) != nil, small.byteCount == one.byteCount)
        // Another second has the whole room again.
        small.keep(answer(), for: Self.key, at: 2)
        expectAll(small.answer(for: Self.key, at: 2) != nil, small.byteCount == one.byteCount)
        small.setLimit(one.byteCount - 1)
        expectNil(small.answer(for: Self.key, at: 2))
        expectEqual(small.byteCount, 0)
        small.keep(answer(), for: Self.key, at: 2)
        expectEqual(small.byteCount, 0, "the smaller limit stays")
        // The shorter the memory, the smaller the share.
        let most = RecentHits.byteLimit
        let sizes = [most / 16, most / 4, most * 3 / 4]
        for (pressure, count) in [(MemoryPressure.critical, 1), (.warning, 2), (.normal, 3)] {
            one.respond(to: pressure)
            let kept = sizes.filter { size in
                one.removeAll()
                one.keep(answer([UInt8](repeating: 0, count: size)), for: Self.key, at: 1)
                return one.byteCount > 0
            }
            expectEqual(kept.count, count)
        }
    }
}
