// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Threads that write and read through one queue of writes: an order of their calls explains what each reader finds.
struct WriteBehindOrderTests {
    private enum Step: Sendable, Equatable {
        case write(Int, key: Int)
        /// A submission whose caller was cancelled, which is taken or not.
        case maybeWrite(Int, key: Int)
        /// What a reader finds that has waited for the writes of a key, or for all.
        case read(Int?, key: Int)
    }

    /// What was written last, in one step with its submission.
    private struct Model: SequentialModel {
        private var contents: [Int?] = [nil, nil]

        func after(_ step: Step) -> [Model] {
            var next = self
            switch step {
            case .write(let number, let key):
                next.contents[key] = number
                return [next]
            case .maybeWrite(let number, let key):
                next.contents[key] = number
                return [next, self]
            case .read(let number, let key): return contents[key] == number ? [self] : []
            }
        }
    }

    /// A store in memory that gives way to other tasks before and after each change.
    private final class YieldingStore: CacheStoring {
        private let entries = Mutex<[CacheKey: DiskEntry]>([:])
        private let yields: Int

        init(yields: Int) { self.yields = yields }

        private func giveWay() async { for _ in 0..<yields { await Task.yield() } }

        func entry(for key: CacheKey) async throws -> DiskEntry? { entries.withLock { $0[key] } }

        func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
            await giveWay()
            entries.withLock { $0[key] = entry }
            await giveWay()
            return .stored
        }

        func renew(
            _ key: CacheKey, ifContentIs generation: ContentGeneration?,
            _ change: @escaping @Sendable (inout EntryMetadata) -> Void
        ) async throws -> StoreOutcome? { nil }

        func remove(_ key: CacheKey) async throws { entries.withLock { $0[key] = nil } }
        func removeAll() async throws { entries.withLock { $0 = [:] } }
        func shutdown(within limit: Duration) async -> CacheShutdownReport {
            CacheShutdownReport(completedOperations: 0, abandonedOperations: 0)
        }
    }

    private enum Kind: Sendable { case submit, submitIfRoom, settle, flush }

    private struct Call: Sendable {
        let kind: Kind
        let key: Int
        let number: Int
        let isCancelled: Bool

        init(_ draw: inout Generator, number: Int) {
            kind = draw.oneOf([.submit, .settle, .submitIfRoom, .submit, .flush, .settle])
            key = draw.number(0...1)
            isCancelled = draw.isTrue(oneIn: 5)
            self.number = number
        }
    }

    private struct Race: Sendable {
        let threads: [[Call]]
        let delays: [Int]
        let yields: Int
        /// Writes that fit.
        let room: Int

        init(_ draw: inout Generator) {
            var number = 0
            threads = draw.list(2...4) { draw in
                draw.list(1...3) { draw in
                    number += 1
                    return Call(&draw, number: number)
                }
            }
            delays = threads.map { _ in draw.number(0...200) }
            yields = draw.number(0...3)
            room = draw.oneOf([10, 1, 2])
        }

        func fault() async throws -> String? {
            let (history, line) = (History<Step>(), StartLine(threads.count))
            let store = YieldingStore(yields: yields)
            let writes = WriteBehind(store, byteLimit: room * 1_200)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (calls, delay) in zip(threads, delays) {
                    group.addTask {
                        line.wait(turns: delay)
                        for call in calls { try await Self.perform(call, writes, store, history) }
                    }
                }
                try await group.waitForAll()
            }
            await writes.drain()
            let (left, kept) = (await writes.entryCount, await writes.pendingByteCount)
            return history.fault(from: Model()) ?? unless(left + kept == 0, "\(left) entries, \(kept) bytes are left")
        }

        private static func perform(
            _ call: Call, _ writes: WriteBehind, _ store: YieldingStore, _ history: History<Step>
        ) async throws {
            let (key, number) = (CacheKey("\(call.key)"), call.number)
            let begun = history.now
            switch call.kind {
            case .submit:
                let submission = Task { await writes.submit(for: key, byteCount: 0) { sampleEntry(number) } }
                if call.isCancelled { submission.cancel() }
                await submission.value
                let step: Step =
                    call.isCancelled ? .maybeWrite(number, key: call.key) : .write(number, key: call.key)
                history.write(step, since: begun)
            case .submitIfRoom:
                guard await writes.submitIfRoom(for: key, byteCount: 0, { sampleEntry(number) }) else { return }
                history.write(.write(number, key: call.key), since: begun)
            case .settle, .flush:
                if call.kind == .settle { await writes.settle(key) } else { await writes.flush() }
                let bytes = try await store.entry(for: key)?.bytes
                // The first byte of a sample is its number.
                history.write(.read(bytes.map { Int($0[0]) }, key: call.key), since: begun)
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a reader on threads finds what one of the orders of the writes would have left`() async {
        await Property(cases: 4_000) { Race(&$0) }.holds { try await $0.fault() }
    }
}
