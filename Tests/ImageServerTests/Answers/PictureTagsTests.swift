// SPDX-License-Identifier: MIT
import Foundation
import Testing
import WebImage

@testable import ImageServer

@Suite struct PictureTagsTests {
    private func key(_ number: Int) throws -> PictureTags.Key {
        .init(
            options: try PictureOptions("w\(number + 1)"), source: try #require(URL(string: "http://a.example/b")),
            format: .png)
    }

    @Test func `a tag follows the bytes, also when they change below one name`() async throws {
        let tags = PictureTags(byteLimit: 1_000)
        let (old, new): ([UInt8], [UInt8]) = ([1, 2, 3], [1, 2, 4])
        let tag = await tags.tag(of: old, for: try key(0))
        #expect(await tags.tag(of: old, for: try key(0)) == tag)
        #expect(await tags.tag(of: new, for: try key(0)) != tag)
        #expect(await tags.tag(of: Array(old), for: try key(1)) == tag)
        // A long body is hashed elsewhere, by the same rule.
        let long = [UInt8](repeating: 7, count: 100_000)
        #expect(await tags.tag(of: long, for: try key(2)) == PictureTags(byteLimit: 0).tag(of: long, for: try key(3)))
    }

    @Test func `the oldest pictures make room for new ones`() async throws {
        let tags = PictureTags(byteLimit: 1_000)
        for number in 0..<2_500 {
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100)
            _ = await tags.tag(of: bytes, for: try key(number))
            #expect(tags.byteCount == min(1_000, 100 * (number + 1)))
        }
    }
}
