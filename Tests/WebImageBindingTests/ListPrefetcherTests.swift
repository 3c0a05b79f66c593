// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ListPrefetcherTests {
    let loader = ScriptedLoader()

    private func prefetcher(maximumQueueLength: Int = 200) -> ListPrefetcher<Int> {
        ListPrefetcher(loader: loader, concurrentLoads: 2, maximumQueueLength: maximumQueueLength) {
            [request($0, priority: .high)]
        }
    }

    private var asked: [Int] {
        loader.answers.compactMap { Int($0.request.url.deletingPathExtension().lastPathComponent) }
    }

    @Test func `items are loaded in order, a few at a time, at low priority`() async {
        let prefetcher = prefetcher()
        prefetcher.willAppear(0..<4)
        prefetcher.willAppear([1, 2, 2])
        await until { loader.answers.count == 2 }
        // Two that begin together may come in any order.
        expectEqual(asked.sorted(), [0, 1])
        expect(loader.answers.allSatisfy { $0.request.priority == .low })
        loader.answers[1].finish(picture(1))
        await until { loader.answers.count == 3 }
        loader.answers[0].fail()
        await until { loader.answers.count == 4 }
        expectEqual(asked.dropFirst(2), [2, 3])
        loader.answers[2].finish(picture(2))
        loader.answers[3].finish(picture(3))
        await until { prefetcher.pending.isEmpty }
    }

    @Test(arguments: [(ImagePriority.veryLow, ImagePriority.veryLow), (.low, .low), (.normal, .low), (.veryHigh, .low)])
    func `prefetching lowers the priority of a request, and never raises it`(
        own: ImagePriority, expected: ImagePriority
    )
        async
    {
        let prefetcher = ListPrefetcher<Int>(loader: loader) { [request($0, priority: own)] }
        prefetcher.willAppear([0])
        await until { loader.answers.count == 1 }
        expectEqual(loader.answers[0].request.priority, expected)
        loader.answers[0].finish(picture(0))
        await until { prefetcher.entryCount == 0 }
    }

    @Test func `a paused prefetcher begins nothing, and goes on where it was`() async {
        let prefetcher = prefetcher()
        prefetcher.willAppear(0..<3)
        await until { loader.answers.count == 2 }
        prefetcher.isPaused = true
        loader.answers[0].finish(picture(0))
        await until { prefetcher.pending == [1, 2] }
        prefetcher.willAppear([3, 4])
        prefetcher.willNotAppear([3])
        // A load that begins all the same reaches the loader meanwhile.
        for _ in 0..<100 { await Task.yield() }
        expectEqual(asked, [0, 1])
        prefetcher.isPaused = false
        await until { loader.answers.count == 3 }
        loader.answers[1].finish(picture(1))
        await until { loader.answers.count == 4 }
        expectEqual(asked, [0, 1, 2, 4])
        prefetcher.cancelAll()
    }

    @Test func `the loads of items that will not appear are cancelled, running or waiting`() async {
        let prefetcher = prefetcher()
        prefetcher.willAppear(0..<4)
        await until { loader.answers.count == 2 }
        prefetcher.willNotAppear([0, 2])
        await until { loader.answers.count == 3 && loader.answers[0].wasLeft }
        expectEqual(asked, [0, 1, 3])
        expectEqual(prefetcher.pending, [1, 3])
        prefetcher.cancelAll()
        await until { loader.open.isEmpty }
        expectEmpty(prefetcher.pending)
    }

    @Test func `an item that disappears and appears again is loaded once more, and counted once`() async {
        let prefetcher = prefetcher()
        prefetcher.willAppear([0])
        await until { loader.answers.count == 1 }
        prefetcher.willNotAppear([0])
        prefetcher.willAppear([0])
        await until { loader.answers.count == 2 }
        for _ in 0..<100 { await Task.yield() }
        expectEqual(prefetcher.pending, [0])
        loader.answers[1].finish(picture(0))
        await until { prefetcher.pending.isEmpty }
    }

    @Test func `a picture in memory is not loaded`() async {
        loader.remember(picture(0), for: url(0))
        let prefetcher = prefetcher()
        prefetcher.willAppear([0, 1])
        await until { loader.answers.count == 1 }
        expectEqual(asked, [1])
        // Unless the request asks the origin all the same.
        let reloading = ListPrefetcher<Int>(loader: loader) { [request($0, .reload)] }
        reloading.willAppear([0])
        await until { loader.answers.count == 2 }
        expectEqual(asked, [1, 0])
    }

    @Test func `too many items drop the oldest waiting ones`() async {
        let prefetcher = prefetcher(maximumQueueLength: 3)
        prefetcher.willAppear(0..<2)
        prefetcher.willAppear(2..<10)
        expectEqual(prefetcher.pending, [0, 1, 7, 8, 9])
        prefetcher.cancelAll()
        // One is loaded and one waits at least; three are loaded at a time by default.
        let least = ListPrefetcher<Int>(loader: loader, concurrentLoads: 0, maximumQueueLength: 0) { [request($0)] }
        least.willAppear([10, 11])
        expectEqual(least.pending, [11])
        await until { asked.contains(11) }
        least.cancelAll()
        let usual = ListPrefetcher<Int>(loader: loader) { [request($0)] }
        usual.willAppear(20..<30)
        await until { Set(asked).isSuperset(of: [20, 21, 22]) }
        for _ in 0..<100 { await Task.yield() }
        expect(!asked.contains(23))
        usual.cancelAll()
    }

    @Test func `the release of a prefetcher leaves the loader`() async {
        var prefetcher: ListPrefetcher<Int>? = prefetcher()
        prefetcher?.willAppear(0..<2)
        await until { loader.answers.count == 2 }
        prefetcher = nil
        await until { loader.open.isEmpty }
    }
}
