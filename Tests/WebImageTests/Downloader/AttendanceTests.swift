// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import TaskCoordination
import Testing
import WebImageTesting

@testable import WebImage

/// The rounds of the download queue, on real threads.
@Suite(.timeLimit(.minutes(1))) struct AttendanceTests {
    /// A downloader with one slot, whose transfers wait at the gate of their turn.
    private static func downloader(_ gate: @escaping @Sendable () -> Gate) -> ImageDownloader {
        var configuration = ImageDownloader.Configuration()
        configuration.maximumConcurrentDownloads = 1
        return ImageDownloader(
            configuration: configuration, transport: ScriptedTransport { await gate().pass() })
    }

    @Test func `a download that queues in the moment when the attendance ends is attended`() async throws {
        let gates = Mutex(Gate())
        let downloader = Self.downloader { gates.withLock { $0 } }
        let isOver = Atomic(false)
        let looks = Atomic(0)
        defer { isOver.store(true, ordering: .relaxed) }
        // What the attendance does in each round, without the pauses.
        let rounds = Task.detached {
            while !isOver.load(ordering: .relaxed) {
                _ = downloader.goesOnAttending()
                looks.add(1, ordering: .releasing)
            }
        }
        for turn in 0..<500 {
            let gate = Gate()
            gates.withLock { $0 = gate }
            let callers = (0...1).map { number in
                Task.detached { try await downloader.download(.numbered(2 * turn + number)) }
            }
            while downloader.queuedCount < 1 { await Task.yield() }
            // The look at the queue that was under way may not be over; the next one is.
            let begin = looks.load(ordering: .acquiring)
            while looks.load(ordering: .acquiring) < begin + 2 { await Task.yield() }
            // Nor may the caller that queued have begun the attendance. Without one, the time limit ends this.
            while !downloader.board.isAttended, !Task.isCancelled { await Task.yield() }
            let isAttended = !Task.isCancelled
            gate.open()
            for caller in callers { _ = try await caller.value }
            try #require(isAttended, "turn \(turn)")
        }
        isOver.store(true, ordering: .relaxed)
        await rounds.value
        await downloader.shutdown()
    }
}

/// Answers every request with a picture, after `before`.
private struct ScriptedTransport: HTTPLoading {
    let before: @Sendable () async -> Void

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        await before()
        return try HTTPResponse.picture(1, for: request)
    }

    func shutdown() async {}
}
