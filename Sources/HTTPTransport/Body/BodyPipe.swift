// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// The bytes of a body between the event loop, which writes, and the one task that reads.
///
/// A reader takes waiting bytes without a hop to the loop. The loop stops the socket when `highWaterMark` bytes wait,
/// and the reader tells it to continue when they are taken.
final class BodyPipe: Sendable {
    /// The number of waiting bytes at which the writer stops.
    static let highWaterMark = 256 << 10

    enum Taken {
        /// Bytes, and whether the reader must tell the writer to continue.
        case chunk([UInt8], resumesWriter: Bool)
        case end
        case failed(any Error)
        /// No bytes yet.
        case nothing
    }

    private typealias Reader = Suspension<Void, Never>

    private struct State {
        var bytes: [UInt8] = []
        var wanted = 1
        var reader: Reader?
        var end: Result<Void, any Error>?
        var isFull = false

        var isReadable: Bool { end != nil || isFull || (!bytes.isEmpty && bytes.count >= wanted) }

        /// The waiting reader, if there are bytes or an end for it.
        mutating func takeReader() -> Reader? {
            guard isReadable else { return nil }
            return reader.take()
        }
    }

    private let state = Mutex(State())

    // MARK: - Reading

    /// Takes the waiting bytes if they are at least `wanted`, or if no more can arrive for now.
    func take(atLeast wanted: Int) -> Taken {
        state.withLock { state in
            state.wanted = min(max(1, wanted), Self.highWaterMark / 2)
            guard state.isReadable else { return .nothing }
            guard state.bytes.isEmpty else {
                defer { (state.bytes, state.isFull) = ([], false) }
                return .chunk(state.bytes, resumesWriter: state.isFull)
            }
            switch state.end {
            case .success: return .end
            case .failure(let error): return .failed(error)
            case nil: return .nothing
            }
        }
    }

    /// Returns when `take` has something for the reader.
    /// - Returns: `false` when another task waits already.
    func waitUntilReadable() async -> Bool {
        var isAlone = true
        await withSuspension { reader in
            let resumesNow = state.withLock { state in
                if state.isReadable { return true }
                guard state.reader == nil else {
                    isAlone = false
                    return true
                }
                state.reader = reader
                return false
            }
            if resumesNow { reader.resume(returning: ()) }
        }
        return isAlone
    }

    /// The first of the waiting bytes, which stay.
    func beginning(upTo count: Int) -> [UInt8] { state.withLock { Array($0.bytes.prefix(count)) } }

    /// Whether the writer must stop. The reader that changes it tells the loop.
    var isFull: Bool { state.withLock { $0.isFull } }

    /// Whether nothing more will be written.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    // MARK: - Writing, on the event loop

    /// Takes the bytes, unless the reader is too slow. Then the writer must stop, and offer them again when the reader
    /// has made room.
    ///
    /// - Parameter mayRefuse: Whether the writer can keep refused bytes.
    /// - Returns: Whether the bytes were taken.
    func write(_ bytes: RawSpan, expecting remaining: Int?, mayRefuse: Bool) -> Bool {
        let (isTaken, reader) = state.withLock { state -> (Bool, Reader?) in
            if !state.bytes.isEmpty, state.bytes.count + bytes.byteCount > Self.highWaterMark {
                state.isFull = true
                // No reader waits now: the pipe holds as many bytes as a reader may wait for.
                if mayRefuse { return (false, nil) }
            }
            if state.bytes.isEmpty {
                // Room for a small picture in one chunk. A larger announcement gets none: it may be false.
                let small = remaining.flatMap { $0 <= 64 << 10 ? $0 : nil } ?? 0
                state.bytes.reserveCapacity(max(bytes.byteCount, small))
            }
            unsafe bytes.withUnsafeBytes { unsafe state.bytes.append(contentsOf: $0) }
            return (true, state.takeReader())
        }
        reader?.resume(returning: ())
        return isTaken
    }

    /// Ends the body; only the first end counts.
    ///
    /// Bytes that arrived before an error are still read before it, so that a transfer can be resumed from them.
    func finish(_ end: Result<Void, any Error>) {
        let reader = state.withLock { state -> Reader? in
            guard state.end == nil else { return nil }
            state.end = end
            state.isFull = false
            return state.takeReader()
        }
        reader?.resume(returning: ())
    }
}
