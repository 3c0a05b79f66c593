import TestSupport
import Testing

// SPDX-License-Identifier: MIT
@testable import HTTPTransport

struct HTTPBodyTests {
    private struct Broken: Error {}

    private static func stream(_ chunks: [[UInt8]], failing error: (any Error)? = nil) -> AsyncThrowingStream<
        [UInt8], any Error
    > {
        AsyncThrowingStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish(throwing: error)
        }
    }

    @Test func `A body of chunks can be read twice and knows its size`() async throws {
        let body = HTTPBody([[1, 2], [], [3]])
        expectEqual(body.expectedByteCount, 3)
        try await expectEqual(body.collect(upTo: 3), [1, 2, 3])
        var chunks: [[UInt8]] = []
        for try await chunk in body { chunks.append(chunk) }
        expectEqual(chunks, [[1, 2], [3]])
    }

    @Test func `An empty body collects to nothing`() async throws {
        try await expectEqual(HTTPBody([]).collect(upTo: 0), [])
    }

    @Test func `A body of a sequence skips empty chunks`() async throws {
        let body = HTTPBody(Self.stream([[1], [], [2, 3]]))
        expectNil(body.expectedByteCount)
        try await expectEqual(body.collect(upTo: 10), [1, 2, 3])
    }

    @Test func `An error of the sequence comes through`() async {
        await #expect(throws: Broken.self) {
            _ = try await HTTPBody(Self.stream([[1]], failing: Broken())).collect(upTo: 10)
        }
    }

    @Test(arguments: [0, 1, 2, 4]) func `Collecting stops at the limit`(_ limit: Int) async {
        let error = await #expect(throws: HTTPError.self) {
            _ = try await HTTPBody(Self.stream([[1, 2], [3, 4, 5]])).collect(upTo: limit)
        }
        expectEqual(error?.code, .bodyTooLarge)
        let announced = await #expect(throws: HTTPError.self) {
            _ = try await HTTPBody([[1, 2], [3, 4, 5]]).collect(upTo: limit)
        }
        expectEqual(announced?.code, .bodyTooLarge)
    }

    @Test func `A wrong announcement of a sequence does no harm`() async throws {
        let long = HTTPBody(Self.stream([[1], [2, 3]]), expectedByteCount: 1)
        try await expectEqual(long.collect(upTo: 10), [1, 2, 3])
        let short = HTTPBody(Self.stream([[1]]), expectedByteCount: 1 << 40)
        try await expectEqual(short.collect(upTo: .max), [1])
    }

    @Test(arguments: [.min, -1, .max] as [Int]) func `an impossible announcement does no harm`(_ announced: Int)
        async throws
    {
        let body = HTTPBody(Self.stream([[1], [2, 3]]), expectedByteCount: announced)
        try await expectEqual(body.collect(upTo: .max), [1, 2, 3])
    }
}
