// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImage

@testable import ImageServer

@Suite struct PictureTagsTests {
    private func key(_ number: Int) throws -> PictureTags.Key {
        .init(
            options: try PictureOptions("w\(number + 1)"), source: URL(string: "http://a.example/b")!,
            format: .png)
    }

    @Test func `a tag follows the bytes, also when they change below one name`() async throws {
        let tags = PictureTags(byteLimit: 1 << 20)
        let (old, new): ([UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4])
        let tag = await tags.tag(of: old, for: try key(0))
        await expectEqual(tags.tag(of: old, for: try key(0)), tag)
        #expect(await tags.tag(of: new, for: try key(0)) != tag)
        await expectEqual(tags.tag(of: Array(old), for: try key(1)), tag)
        // A long body is hashed elsewhere, by the same rule.
        let long = [UInt8](repeating: 7, count: 100_000)
        await expectEqual(tags.tag(of: long, for: try key(2)), PictureTags(byteLimit: 0).tag(of: long, for: try key(3)))
    }

    @Test func `the oldest pictures make room for new ones`() async throws {
        let one = PictureTags(byteLimit: 10_000)
        _ = await one.tag(of: [UInt8](repeating: 1, count: 100), for: try key(0))
        let cost = one.byteCount
        let tags = PictureTags(byteLimit: 10 * cost)
        for number in 0..<2_500 {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            _ = await tags.tag(of: bytes, for: try key(number))
            expectEqual(tags.byteCount, cost * min(10, number + 1))
        }
        tags.setLimit(5 * cost)
        expectEqual(tags.byteCount, 5 * cost)
    }

    @Test func `a tag that is computed anew gives the bytes of its old picture back`() async throws {
        let tags = PictureTags(byteLimit: 100_000)
        let other = [UInt8](repeating: 9, count: 10_000)
        let tag = await tags.tag(of: other, for: try key(0))
        let before = tags.byteCount
        for number in 0..<100 {
            let bytes = [UInt8](repeating: UInt8(number), count: 10_000 + 16 * number)
            _ = await tags.tag(of: bytes, for: try key(1))
        }
        let alone = PictureTags(byteLimit: 100_000)
        _ = await alone.tag(of: [UInt8](repeating: 99, count: 10_000 + 16 * 99), for: try key(1))
        expectEqual(tags.byteCount, before + alone.byteCount)
        // No other picture has made room, so the bytes that hold the first tag are those of the first picture.
        #expect(await tags.tag(of: other, for: try key(0)) == tag && tags.byteCount == before + alone.byteCount)
        tags.setLimit(before + alone.byteCount - 1)
        #expect(tags.byteCount == alone.byteCount || tags.byteCount == before)
    }

    @Test(.enabled(if: hasSystemAllocator))
    func `the bytes are those that the allocator gives, within a fifth`() async {
        await #expect(processExitsWith: .success) {
            for (padding, length) in [(100, 100), (6_000, 69), (60, 10_000)] {
                let addresses = (0..<1_000).map { number in
                    // As they arrive: texts without room for more.
                    let text = "http://a.example/\(number)?" + String(repeating: "x", count: padding)
                    return URL(string: String(decoding: Array(text.utf8), as: UTF8.self))!
                }
                let options = try PictureOptions("w100")
                let texts = addresses.reduce(0) { $0 + HeapSize.of($1.absoluteString) }
                let (tags, given) = await heapGrowth {
                    let tags = PictureTags(byteLimit: .max)
                    for address in addresses {
                        let bytes = [UInt8](repeating: 1, count: length)
                        _ = await tags.tag(of: bytes, for: .init(options: options, source: address, format: .png))
                    }
                    return tags
                }
                let (counted, all) = (tags.byteCount, given + texts)
                #expect(abs(all - counted) * 5 <= all, "\(padding), \(length): \(counted) for \(all)")
            }
        }
    }
}
