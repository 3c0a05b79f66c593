import Foundation
import Synchronization
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct OvertakingCancellationTests {
    @Test func `A cancellation that reaches the loop before the start is not lost`() async throws {
        let configuration = HTTPClient.Configuration.loopback
        try await withOrigin(configuration, handler: { $0.waitForClose() }) { origin, client in
            let transfer = Transfer(
                id: client.loop.makeID(), hop: try Hop(HTTPRequest(url: origin.url("/")), limits: configuration),
                configuration: configuration, started: LoopThread.nanoseconds, recorder: MetricsRecorder(HTTPMetrics()))
            // The order of a handler that runs between the check of the task and the start of the transfer.
            transfer.isCancelled.store(true, ordering: .releasing)
            client.loop.post(.cancel(transfer.id))
            await #expect(throws: CancellationError.self) {
                _ = try await withCheckedThrowingContinuation { caller in
                    transfer.caller = caller
                    client.loop.post(.start(transfer))
                }
            }
            #expect(await client.transferCount == 0)
        }
    }

    @Test func `Messages for transfers that are gone do nothing`() async throws {
        try await withOrigin {
            $0.respond(body: [1])
        } _: { origin, client in
            client.loop.post(.cancel(4_711))
            client.loop.post(.resume(4_711))
            let response = try await client.send(HTTPRequest(url: origin.url("/")))
            client.loop.post(.resume(1))
            #expect(try await response.body.collect(upTo: 1) == [1])
            client.loop.post(.cancel(1))
            client.loop.post(.resume(1))
            let again = try await client.send(HTTPRequest(url: origin.url("/")))
            #expect(try await again.body.collect(upTo: 1) == [1])
        }
    }
}
