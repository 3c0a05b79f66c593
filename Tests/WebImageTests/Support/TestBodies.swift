// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination
import WebImageTesting

/// A body in pieces of a few bytes; from one of them on the reader waits at a gate.
struct GatedBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var pieces: ArraySlice<[UInt8]>
    /// The number of pieces before the gate.
    var free: Int
    let gate: Gate

    init(_ bytes: [UInt8], pieces count: Int, free: Int, gate: Gate) {
        let size = (bytes.count + count - 1) / count
        pieces =
            stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<Swift.min($0 + size, bytes.count)]) }[...]
        self.free = free
        self.gate = gate
    }

    mutating func next() async throws -> [UInt8]? {
        if free == 0 { await gate.pass() }
        free -= 1
        try Task.checkCancellation()
        return pieces.popFirst()
    }

    func makeAsyncIterator() -> Self { self }
}

/// A body of which each piece waits at a gate of its own.
struct SteppedBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var steps: ArraySlice<(piece: [UInt8], gate: Gate)>

    init(_ bytes: [UInt8], _ gates: [Gate]) {
        let bounds = (0...gates.count).map { bytes.count * $0 / gates.count }
        steps = gates.indices.map { (Array(bytes[bounds[$0]..<bounds[$0 + 1]]), gates[$0]) }[...]
    }

    mutating func next() async throws -> [UInt8]? {
        guard let step = steps.popFirst() else { return nil }
        await step.gate.pass()
        try Task.checkCancellation()
        return step.piece
    }

    func makeAsyncIterator() -> Self { self }
}

/// A body that ends only when its reader is cancelled.
struct EndlessBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    var first: [UInt8]?
    /// Whether it then ends without an error, as an `AsyncStream` does, instead of throwing.
    var endsSilently = false

    mutating func next() async throws -> [UInt8]? {
        if let chunk = first {
            first = nil
            return chunk
        }
        await OneShot<Void>().wait(onCancel: ())
        if endsSilently { return nil }
        throw CancellationError()
    }

    func makeAsyncIterator() -> Self { self }
}
