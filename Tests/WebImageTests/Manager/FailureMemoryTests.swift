// SPDX-License-Identifier: MIT
import Testing
import WebImageTesting

@testable import WebImage

@Suite struct FailureMemoryTests {
    private typealias Memory = FailureMemory<Int, ManualClock.Instant>

    private static func instant(_ seconds: Int) -> ManualClock.Instant {
        .start.advanced(by: .seconds(seconds))
    }

    @Test func `a failure is remembered until its time is over`() {
        var memory = Memory(capacity: 4)
        memory.record(ImageLoadError(code: .emptyBody, message: ""), for: 1, until: Self.instant(10))
        #expect(memory.failure(for: 1, now: Self.instant(9))?.code == .emptyBody)
        #expect(memory.failure(for: 1, now: Self.instant(10)) == nil)
        #expect(memory.count == 0)
    }

    @Test func `failures that are never requested again are forgotten, too`() {
        var memory = Memory(capacity: 4)
        for number in 1...3 {
            memory.record(ImageLoadError(code: .emptyBody, message: ""), for: number, until: Self.instant(10 * number))
        }
        #expect(memory.failure(for: 0, now: Self.instant(20)) == nil && memory.count == 1)
        #expect(memory.failure(for: 3, now: Self.instant(29)) != nil)
        #expect(memory.failure(for: 0, now: Self.instant(30)) == nil && memory.count == 0)
    }

    @Test func `the memory is bounded and drops the oldest first, also when entries are renewed and forgotten`() {
        var memory = Memory(capacity: 8)
        for number in 0..<10_000 {
            memory.record(ImageLoadError(code: .emptyBody, message: ""), for: number, until: Self.instant(10))
            memory.record(ImageLoadError(code: .emptyBody, message: ""), for: -1, until: Self.instant(10))
            if number.isMultiple(of: 3) { memory.forget(number) }
            #expect(memory.count <= 8 && memory.placeCount <= 4 * 8)
        }
        #expect(memory.failure(for: -1, now: Self.instant(0)) != nil)
        #expect(memory.failure(for: 9_998, now: Self.instant(0)) != nil)
        #expect(memory.failure(for: 9_000, now: Self.instant(0)) == nil)
    }
}
