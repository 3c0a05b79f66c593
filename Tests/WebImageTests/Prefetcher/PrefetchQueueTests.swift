// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite struct PrefetchQueueTests {
    @Test(arguments: 0..<3) func `when a list is removed, the next list has the turn`(gone: Int) {
        var queue = PrefetchQueue()
        let tokens = (0..<3).map { _ in ImagePrefetcher.Token(totalCount: 9) }
        for token in tokens { queue.add(0..<9, for: token) { .numbered($0) } }
        func next() -> Int? { queue.popFirst().flatMap { taken in tokens.firstIndex { $0 === taken.token } } }
        expectEqual((0..<4).map { _ in next() }, [0, 1, 2, 0])
        queue.remove(tokens[gone])
        let expected = [1, 2, 0, 1, 2, 0].filter { $0 != gone }
        expectEqual((0..<4).map { _ in next() }, expected)
    }
}
