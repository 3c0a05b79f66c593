// SPDX-License-Identifier: MIT
import EventLoops
import Foundation
import Synchronization
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10)))
struct OvertakingCancellationTests {
    @Test func `A cancellation that reaches the loop before the start is not lost`() async throws {
        try await withOrigin(handler: { $0.waitForClose() }) { origin, client in
            let order = try TransferOrder(
                id: client.table.makeID(), HTTPRequest(url: origin.url("/")), in: client.table)
            // The order of a handler that runs between the check of the task and the start of the transfer.
            order.isCancelled.store(true, ordering: .releasing)
            client.table.mailbox.post(.cancel(order.id))
            await expectError(CancellationError.self) {
                try await withThrowingSuspension { caller in
                    client.table.mailbox.post(.start(order, caller))
                }
            }
            await expectEqual(client.transferCount, 0)
        }
    }

    @Test func `a task that is cancelled between its check and its start sends nothing`() async throws {
        try await withOrigin(handler: { $0.respond() }) { origin, client in
            var request = HTTPRequest(url: origin.url("/"), method: "PUT")
            request.content = .stream {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return HTTPBody([[1]])
            }
            let task = Task { [request] in try await client.send(request).status }
            await expectError(CancellationError.self) { try await task.value }
            expectEqual(origin.connectionCount, 0)
        }
    }

    @Test func `Messages for transfers that are gone do nothing`() async throws {
        try await withOrigin(handler: { $0.respond(body: [1]) }) { origin, client in
            client.table.mailbox.post(.cancel(4_711))
            client.table.mailbox.post(.resume(4_711))
            let response = try await client.get(origin.url("/"))
            client.table.mailbox.post(.resume(1))
            try await expectEqual(response.body.collect(upTo: 1), [1])
            client.table.mailbox.post(.cancel(1))
            client.table.mailbox.post(.resume(1))
            let again = try await client.get(origin.url("/"))
            try await expectEqual(again.body.collect(upTo: 1), [1])
        }
    }
}
