// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.replayed)
struct DeadlineHeapTests {
    private final class Holder: DeadlineHolding {
        var wakeTime: UInt64
        var heapPosition: Int?

        init(_ wakeTime: UInt64) {
            self.wakeTime = wakeTime
        }
    }

    @Test(arguments: Seeds.first(50)) func `It behaves like a sorted list`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var heap = DeadlineHeap<Holder>()
        var model: [Holder] = []
        var gone: [Holder] = []
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let holder = Holder(.random(in: 0..<100, using: &generator))
                model.append(holder)
                heap.update(holder)
            case 5..<7:
                guard let holder = model.randomElement(using: &generator) else { continue }
                holder.wakeTime = .random(in: 0..<100, using: &generator)
                heap.update(holder)
            case 7..<9:
                guard let index = model.indices.randomElement(using: &generator) else { continue }
                gone.append(model.remove(at: index))
                heap.remove(gone[gone.count - 1])
            default:
                // Late calls for what is gone already.
                if let holder = gone.randomElement(using: &generator) { heap.remove(holder) }
            }
            expectEqual(heap.first?.wakeTime, model.map(\.wakeTime).min())
        }
        var drained: [UInt64] = []
        while let holder = heap.first {
            drained.append(holder.wakeTime)
            heap.remove(holder)
        }
        expectEqual(drained, model.map(\.wakeTime).sorted())
    }
}
