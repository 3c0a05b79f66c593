// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Which frames are made, in which order, and when the work on one ends.
@Suite(.timeLimit(.minutes(1)))
struct FrameWorkTests {
    /// An animation of one pixel.
    private func animation(_ source: CountedFrames) -> (DecodedImage, FrameBuffer) {
        let buffer = FrameBuffer(source, memory: AnimationMemory())
        return (DecodedImage(PixelSize(width: 1, height: 1), .onDemand([0, 0, 0, 0], buffer), hasAlpha: true), buffer)
    }

    /// Asks for a frame, and does not stay for it. The reader wants it until it asks for another one, or leaves.
    private func ask(_ buffer: FrameBuffer, _ index: Int, for id: Int, following: [Int] = []) async {
        let wait = Task { try await buffer.frame(at: index, for: id, following: following, backwards: false) }
        wait.cancel()
        await expectError(CancellationError.self) { try await wait.value }
    }

    @Test func `what the last frame of a reader leaves is given back, also when its buffer has gone`() async throws {
        let (gate, source) = (Gate(), CountedFrames(count: 9))
        let (image, shared) = animation(source)
        var own: FrameBuffer? = FrameBuffer(shared, memory: AnimationMemory())
        do {
            let buffer = try required(own)
            let id = buffer.join { index in
                await gate.pass()
                return try image.frame(at: index)
            }
            await ask(buffer, 3, for: id)
            while gate.arrivals == 0 { await Task.yield() }
            buffer.leave(id)
        }
        own = nil
        let before = source.releases
        gate.open()
        while source.releases == before { await Task.yield() }
    }

    @Test func `a frame that several readers wait for is made once, and comes to all of them`() async throws {
        let (gate, source) = (Gate(), CountedFrames(count: 9))
        let (image, buffer) = animation(source)
        let readers = (0..<3).map { _ in
            buffer.join { index in
                await gate.pass()
                return try image.frame(at: index)
            }
        }
        let waits = readers.map { id in
            Task.immediate {
                try await buffer.frame(at: 3, for: id, following: [], backwards: false).pixels
            }
        }
        while gate.arrivals == 0 { await Task.yield() }
        gate.open()
        for wait in waits { try await expectEqual(wait.value, [3, 3, 3, 3]) }
        expectEqual(source.made, [3])
        for id in readers { buffer.leave(id) }
    }

    @Test func `a reader that leaves takes no frame from another one, and its work ends`() async throws {
        let (gate, source) = (Gate(), CountedFrames(count: 9))
        let (image, buffer) = animation(source)
        let make: FrameBuffer.Maker = { index in
            await gate.pass()
            try Task.checkCancellation()
            return try image.frame(at: index)
        }
        let (first, second) = (buffer.join(make), buffer.join(make))
        let shown = Task { try await buffer.frame(at: 3, for: first, following: [], backwards: false) }
        while gate.arrivals == 0 { await Task.yield() }
        async let same = buffer.frame(at: 3, for: second, following: [4], backwards: false)
        for _ in 0..<100 { await Task.yield() }
        shown.cancel()
        await expectError(CancellationError.self) { try await shown.value }
        buffer.leave(first)
        gate.open()
        try await expectEqual(same.pixels, [3, 3, 3, 3])
        while source.made != [3, 4] { await Task.yield() }
        expectEqual(gate.arrivals, 2)
        buffer.leave(second)
        expectEqual(buffer.count, 0)
    }

    @Test(arguments: [true, false])
    func `a frame that several readers want is cancelled when the last one goes elsewhere, and the next one is made`(
        leaves: Bool
    ) async throws {
        let gate = Gate()
        let (image, buffer) = animation(CountedFrames(count: 9))
        let wasStopped = Mutex<[Bool]>([])
        let make: FrameBuffer.Maker = { index in
            if index == 4 {
                await gate.pass()
                wasStopped.withLock { $0.append(Task.isCancelled) }
            }
            return try image.frame(at: index)
        }
        let readers = [buffer.join(make), buffer.join(make)]
        for id in readers { await ask(buffer, 4, for: id) }
        await gate.reached()
        if leaves {
            for id in readers { buffer.leave(id) }
        } else {
            for id in readers {
                try await expectEqual(buffer.frame(at: 1, for: id, following: [], backwards: false).pixels[0], 1)
            }
        }
        gate.open()
        while wasStopped.withLock({ $0.isEmpty }) { await Task.yield() }
        expectEqual(wasStopped.withLock { $0 }, [true])
        if !leaves { for id in readers { buffer.leave(id) } }
    }

    @Test func `an error of a frame that was cancelled is given to no other reader`() async throws {
        let gate = Gate()
        let (image, buffer) = animation(CountedFrames(count: 9))
        let first = buffer.join { index in
            await gate.pass()
            if Task.isCancelled { throw ImageError(code: .malformed, message: "cut short") }
            return try image.frame(at: index)
        }
        await ask(buffer, 4, for: first)
        await gate.reached()
        buffer.leave(first)
        let second = buffer.join { try image.frame(at: $0) }
        await ask(buffer, 4, for: second)
        gate.open()
        let same = try await buffer.frame(at: 4, for: second, following: [], backwards: false)
        expectEqual(same.pixels, [4, 4, 4, 4])
        buffer.leave(second)
    }

    @Test func `a frame that a reader waits for is made before those that are made ahead, the longest wait first`()
        async throws
    {
        let (image, buffer) = animation(CountedFrames(count: 50))
        let gates = [1: Gate(), 10: Gate()]
        let begun = Mutex<[Int]>([])
        let make: FrameBuffer.Maker = { index in
            begun.withLock { $0.append(index) }
            await gates[index]?.pass()
            return try image.frame(at: index)
        }
        let readers = (0..<4).map { _ in buffer.join(make) }
        for (reader, index) in [(0, 1), (2, 10), (3, 20), (1, 30)] {
            await ask(buffer, index, for: readers[reader], following: [index + 1, index + 2])
            await gates[index]?.reached()
        }
        expectEqual(begun.withLock { $0 }, [1, 10])
        gates[1]?.open()
        while begun.withLock({ $0.count }) < 3 { await Task.yield() }
        gates[10]?.open()
        while begun.withLock({ $0.count }) < 4 { await Task.yield() }
        expectEqual(begun.withLock { Array($0.prefix(4)) }, [1, 10, 20, 30])
        for id in readers { buffer.leave(id) }
    }

    @Test func `two frames are made at a time, whatever the number of places`() async throws {
        let gate = Gate()
        let (image, buffer) = animation(CountedFrames(count: 50))
        let readers = (0..<4).map { _ in
            buffer.join { index in
                await gate.pass()
                return try image.frame(at: index)
            }
        }
        let shown = readers.enumerated().map { place, id in
            Task { try await buffer.frame(at: 10 * place + 1, for: id, following: [], backwards: false) }
        }
        while gate.arrivals < 2 { await Task.yield() }
        for _ in 0..<200 { await Task.yield() }
        expectEqual(gate.arrivals, 2)
        gate.open()
        for (place, task) in shown.enumerated() {
            try await expectEqual(task.value.pixels[0], UInt8(10 * place + 1))
        }
        for id in readers { buffer.leave(id) }
    }
}
