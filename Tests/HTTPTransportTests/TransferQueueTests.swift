// SPDX-License-Identifier: MIT
import Foundation
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// On an executor that only the test moves.
@Suite(.timeLimit(.minutes(1)), .replayed)
struct TransferQueueTests {
    private let executor = SeededExecutor(seed: 3)
    private let stub = StubLoader { request, _ in
        request.url.path() == "/silence" ? .silence : .ok(Array(request.url.path().utf8))
    }

    private func request(_ path: String, _ priority: HTTPPriority = .normal) -> HTTPRequest {
        var request = HTTPRequest(url: URL(string: "http://a.example/\(path)")!)
        request.options.priority = priority
        return request
    }

    private var sentPaths: [String] { stub.requests.map { String($0.url.path().dropFirst()) } }

    @Test func `so many transfers run at once and the others wait in the order of their priority`() throws {
        let queue = HTTPTransferQueue(stub, width: 1, executor: executor)
        let running = queue.add(request("silence"))
        let priorities: [HTTPPriority] = [.normal, .veryLow, .high, .normal, .high]
        let transfers = priorities.enumerated().map { queue.add(request("\($0 + 1)", $1)) }
        executor.drain()
        expectEqual(queue.runningCount, 1)
        expectEqual(queue.waitingCount, 5)
        expect(transfers.allSatisfy { $0.state == .waiting })
        running.cancel()
        executor.drain()
        expectEqual(running.state, .ended(.cancelled))
        expectEqual(sentPaths, ["silence", "3", "5", "1", "4", "2"])
        expect(transfers.allSatisfy { $0.state == .ended(.succeeded) })
        expectEqual(queue.runningCount, 0)
        expectEqual(queue.waitingCount, 0)
        expectEqual(stub.peakOpenRequests, 1)
    }

    @Test func `a transfer that is paused and then cancelled ends and leaves the queue`() async throws {
        let queue = HTTPTransferQueue(stub, width: 1, executor: executor)
        for isResumed in [false, true] {
            let transfer = queue.add(request("silence"))
            executor.drain()
            // Before its task has ended.
            transfer.pause()
            if isResumed { transfer.resume() }
            transfer.cancel()
            executor.drain()
            expectEqual(transfer.state, .ended(.cancelled))
            await expectError(CancellationError.self) { try await transfer.response() }
            expectEqual(queue.waitingCount, 0)
            expectEqual(queue.runningCount, 0)
        }
    }

    @Test func `a transfer that is cancelled or paused as its task is started ends its run`() throws {
        let interrupting = Interrupting(executor)
        let queue = HTTPTransferQueue(stub, width: 1, isSuspended: true, executor: interrupting)
        for isPaused in [false, true] {
            let transfer = queue.add(request("silence"))
            executor.drain()
            interrupting.interruption.withLock { $0 = { isPaused ? transfer.pause() : transfer.cancel() } }
            queue.resume()
            executor.drain()
            expectEqual(transfer.state, isPaused ? .paused : .ended(.cancelled))
            expectEqual(queue.runningCount, 0)
            transfer.cancel()
            executor.drain()
            queue.suspend()
        }
    }

    @Test func `a transfer begins when those before it have ended however they end`() throws {
        let gate = Gate()
        stub.respond(to: "/failure", with: .failure(.connectionLost))
        stub.respond(to: "/held", with: .ok([1]).held(at: gate))
        let queue = HTTPTransferQueue(stub, executor: executor)
        let other = HTTPTransferQueue(stub, executor: executor)
        let silent = other.add(request("silence"))
        let last = queue.add(
            request("last"), after: [queue.add(request("failure")), queue.add(request("held")), silent])
        executor.drain()
        gate.open()
        executor.drain()
        expectEqual(last.state, .waiting)
        expectEqual(sentPaths, ["silence", "failure", "held"])
        silent.cancel()
        executor.drain()
        expectEqual(last.state, .ended(.succeeded))
        expectEqual(sentPaths.last, "last")
        // One that comes after others that have ended does not wait.
        let late = queue.add(request("late"), after: [last, silent])
        executor.drain()
        expectEqual(late.state, .ended(.succeeded))
    }

    @Test func `no transfer begins in a suspended queue and those that run go on`() throws {
        let gate = Gate()
        stub.respond(to: "/held", with: .ok([7]).held(at: gate))
        let queue = HTTPTransferQueue(stub, width: 2, executor: executor)
        let held = queue.add(request("held"))
        executor.drain()
        queue.suspend()
        let waiting = queue.add(request("waiting"))
        gate.open()
        executor.drain()
        expectEqual(held.state, .ended(.succeeded))
        expectAll(queue.isSuspended, waiting.state == .waiting, stub.requestCount == 1)
        waiting.pause()
        queue.resume()
        executor.drain()
        expectEqual(waiting.state, .paused)
        expectEqual(stub.requestCount, 1)
        waiting.resume()
        executor.drain()
        expectEqual(waiting.state, .ended(.succeeded))
        let suspended = HTTPTransferQueue(stub, width: 1, isSuspended: true, executor: executor)
        let abandoned = suspended.add(request("x"))
        suspended.cancelAll()
        expectEqual(abandoned.state, .ended(.cancelled))
        expectEqual(suspended.waitingCount, 0)
    }

    @Test func `a paused transfer gives its place away and begins again`() throws {
        stub.respond(to: "/x", with: .silence, .silence, .ok([5]))
        let queue = HTTPTransferQueue(stub, width: 1, executor: executor)
        let transfer = queue.add(request("x"))
        let next = queue.add(request("next"))
        executor.drain()
        transfer.pause()
        executor.drain()
        expectEqual(transfer.state, .paused)
        expectEqual(next.state, .ended(.succeeded))
        transfer.resume()
        executor.drain()
        expectEqual(stub.requestCount(for: "/x"), 2)
        // Paused and resumed before its task has noticed: it begins once more, and does not end.
        transfer.pause()
        transfer.resume()
        executor.drain()
        expectEqual(transfer.state, .ended(.succeeded))
        expectEqual(stub.requestCount(for: "/x"), 3)
        transfer.pause()
        transfer.resume()
        transfer.cancel()
        expectEqual(transfer.state, .ended(.succeeded))
    }

    @Test func `a response that comes in spite of a pause ends the transfer, and no limit is exceeded`() throws {
        let gate = Gate()
        let loader = ClosureLoader { request in
            await gate.pass()
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody([[1, 2, 3]]))
        }
        let queue = HTTPTransferQueue(loader, executor: executor)
        let transfers = [3, 2].map { queue.add(request("x"), upTo: $0) }
        executor.drain()
        transfers.forEach { $0.pause() }
        gate.open()
        executor.drain()
        expectEqual(transfers.map(\.state), [.ended(.succeeded), .ended(.failed)])
        expectEqual(queue.runningCount, 0)
        let limited = Probe(on: executor) { try await transfers[1].response() }
        executor.drain()
        expectEqual((limited.error as? HTTPError)?.code, .bodyTooLarge)
    }

    @Test func `cancelling all ends what runs, waits, is queued or is paused, each once`() throws {
        let queue = HTTPTransferQueue(stub, width: 1, executor: executor)
        let running = queue.add(request("silence"))
        let paused = queue.add(request("paused"))
        let all = [running, paused, queue.add(request("queued")), queue.add(request("after"), after: [running])]
        executor.drain()
        paused.pause()
        expectEqual(paused.state, .paused)
        queue.cancelAll()
        // Only the one that runs has to be waited for.
        expectEqual(all.dropFirst().map(\.state), Array(repeating: .ended(.cancelled), count: 3))
        expectEqual(queue.waitingCount, 0)
        executor.drain()
        expectEqual(running.state, .ended(.cancelled))
        expectEqual(sentPaths, ["silence"])
        expectEqual(queue.runningCount, 0)
    }

    @Test func `every reader gets the end and leaves no trace`() throws {
        let queue = HTTPTransferQueue(stub, executor: executor)
        let transfer = queue.add(request("silence"))
        let early = Probe(on: executor) { await transfer.states.reduce(into: []) { $0.append($1) } }
        let cancelled = Probe(on: executor) { try await transfer.response() }
        executor.drain()
        cancelled.cancel()
        executor.drain()
        expectAll(cancelled.wasCancelled, transfer.board.readerCount == 1)
        transfer.cancel()
        executor.drain()
        expectEqual(early.value, [.waiting, .ended(.cancelled)])
        let late = Probe(on: executor) { await transfer.states.reduce(into: []) { $0.append($1) } }
        let response = Probe(on: executor) { try await transfer.response() }
        executor.drain()
        expectAll(late.value == [.ended(.cancelled)], response.wasCancelled)
        expectEqual(transfer.board.readerCount, 0)
    }

    @Test func `a loader that throws a cancellation of its own ends the transfer`() throws {
        stub.respond(to: "/x", with: .failure(CancellationError()))
        let queue = HTTPTransferQueue(stub, executor: executor)
        let transfer = queue.add(request("x"))
        executor.drain()
        expectEqual(transfer.state, .ended(.cancelled))
        expectEqual(stub.requestCount, 1)
    }

    @Test(arguments: Seeds.first(100))
    func `width order and suspension hold whatever happens and every transfer ends`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let executor = SeededExecutor(seed: seed)
        let gates = (0..<30).map { _ in Gate() }
        let loader = StubLoader { _, number in .ok([1]).held(at: gates[min(number - 1, 29)]) }
        let width = Int.random(in: 1...4, using: &random)
        let queue = HTTPTransferQueue(loader, width: width, executor: executor)
        var transfers: [(transfer: HTTPTransfer, after: [HTTPTransfer])] = []
        for _ in 0..<120 {
            let some = transfers.randomElement(using: &random)?.transfer
            switch Int.random(in: 0..<9, using: &random) {
            case 0..<3 where transfers.count < 25:
                let after = (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
                    transfers.randomElement(using: &random)?.transfer
                }
                let priority = HTTPPriority.allCases.randomElement(using: &random)!
                transfers.append((queue.add(request("\(transfers.count)", priority), after: after), after))
            case 3: some?.pause()
            case 4: some?.resume()
            case 5: Bool.random(using: &random) ? some?.cancel() : queue.suspend()
            case 6: queue.resume()
            case 7: gates.randomElement(using: &random)!.open()
            default: executor.drain()
            }
            expect(queue.runningCount, <=, width)
            for (transfer, after) in transfers where ![.waiting, .paused, .ended(.cancelled)].contains(transfer.state) {
                expect(!after.contains { !$0.state.isEnded })
            }
        }
        gates.forEach { $0.open() }
        queue.resume()
        for _ in 0..<3 {
            executor.drain()
            transfers.forEach { $0.transfer.resume() }
        }
        executor.drain()
        expect(transfers.allSatisfy { $0.transfer.state.isEnded })
        expectAll(queue.runningCount == 0, queue.waitingCount == 0, loader.peakOpenRequests <= width)
    }
}
