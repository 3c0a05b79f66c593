// SPDX-License-Identifier: MIT
import TestSupport
import Testing

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
        try await expectEqual(HTTPBody([]).collect(upTo: 0), [])
    }

    @Test func `a body of a sequence skips empty chunks, and an error of the sequence comes through`() async throws {
        let body = HTTPBody(Self.stream([[1], [], [2, 3]]))
        expectNil(body.expectedByteCount)
        try await expectEqual(body.collect(upTo: 10), [1, 2, 3])
        await expectError(Broken.self) { try await HTTPBody(Self.stream([[1]], failing: Broken())).collect(upTo: 10) }
    }

    @Test(arguments: [0, 1, 2, 4]) func `Collecting stops at the limit`(_ limit: Int) async {
        await expectHTTPError(.bodyTooLarge) {
            try await HTTPBody(Self.stream([[1, 2], [3, 4, 5]])).collect(upTo: limit)
        }
        await expectHTTPError(.bodyTooLarge) { try await HTTPBody([[1, 2], [3, 4, 5]]).collect(upTo: limit) }
    }

    @Test func `a wrong or impossible announcement of a sequence does no harm`() async throws {
        for announced in [1, .min, -1, .max] {
            let body = HTTPBody(Self.stream([[1], [2, 3]]), expectedByteCount: announced)
            try await expectEqual(body.collect(upTo: announced == 1 ? 10 : .max), [1, 2, 3], "\(announced)")
        }
        let short = HTTPBody(Self.stream([[1]]), expectedByteCount: 1 << 40)
        try await expectEqual(short.collect(upTo: .max), [1])
    }

    @Test func `only the first end of a body counts, and what arrived comes before it`() {
        struct Late: Error {}
        let ends: [Result<Void, any Error>] = [.success(()), .failure(Broken()), .failure(CancellationError())]
        for (row, end) in ends.enumerated() {
            let (pipe, seven) = (BodyPipe(), [7] as [UInt8])
            expect(unsafe pipe.write(seven.span.bytes, expecting: nil, mayRefuse: true))
            pipe.finish(end)
            pipe.finish(.failure(Late()))
            pipe.finish(.success(()))
            guard case .chunk(let bytes, _) = pipe.take(atLeast: 1) else { return expect(Bool(false), "no bytes") }
            expectEqual(bytes, seven)
            switch (pipe.take(atLeast: 1), row) {
            case (.end, 0): break
            case (.failed(let error), 1...2): expect(!(error is Late))
            default: expect(Bool(false), "another end in row \(row)")
            }
        }
    }
}
