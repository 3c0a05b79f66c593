// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// The bytes of a content between the one task that writes and the event loop, which takes them.
///
/// The writer waits when `highWaterMark` bytes wait. The loop stops sending when there are none, and the writer tells
/// it to continue.
final class UploadPipe: Sendable {
    /// The number of waiting bytes at which the writer waits.
    static let highWaterMark = 256 << 10

    enum Taken {
        case bytes([UInt8])
        /// No bytes yet; `wake` will be called.
        case nothing
        case end
        case failed(any Error)
    }

    private struct State {
        var chunks = HeadQueue<[UInt8]>()
        /// What is left of the chunk that is being taken.
        var rest: ArraySlice<UInt8> = []
        var count = 0
        var end: Result<Void, any Error>?
        var isClosed = false
        var writer: CheckedContinuation<Void, Never>?
        var wake: (@Sendable () -> Void)?

        var isWritable: Bool { isClosed || count < UploadPipe.highWaterMark }
    }

    private let state = Mutex(State())
    private let closing = OneShot<Void>()

    /// Waits until the transfer has ended; called once.
    ///
    /// **Cancellation**: returns at once.
    func waitUntilClosed() async {
        await closing.wait(onCancel: ())
    }

    // MARK: - Writing

    /// Adds a chunk, and waits while too many bytes wait.
    ///
    /// **Cancellation**: closes the pipe.
    /// - Returns: `false` when the transfer has ended and takes no more.
    func write(_ chunk: [UInt8]) async -> Bool {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isClosed else { return nil }
            state.chunks.append(chunk)
            state.count += chunk.count
            return state.wake.take()
        }
        wake?()
        await withTaskCancellationHandler {
            await withCheckedContinuation { writer in
                let isWritable = state.withLock { state in
                    if !state.isWritable { state.writer = writer }
                    return state.isWritable
                }
                if isWritable { writer.resume() }
            }
        } onCancel: {
            close()
        }
        return state.withLock { !$0.isClosed }
    }

    /// Ends the content.
    func finish(_ end: Result<Void, any Error>) {
        let wake = state.withLock { state in
            state.end = end
            return state.wake.take()
        }
        wake?()
    }

    // MARK: - Taking, on the event loop

    /// Takes up to so many bytes.
    /// - Parameter wake: Called once when there is something after there was nothing.
    func take(upTo capacity: Int, wake: @escaping @Sendable () -> Void) -> Taken {
        let (taken, writer) = state.withLock { state -> (Taken, CheckedContinuation<Void, Never>?) in
            guard state.count > 0 else {
                switch state.end {
                case .success: return (.end, nil)
                case .failure(let error): return (.failed(error), nil)
                case nil:
                    state.wake = wake
                    return (.nothing, nil)
                }
            }
            while state.rest.isEmpty, let next = state.chunks.popFirst() { state.rest = next[...] }
            let bytes = Array(state.rest.prefix(capacity))
            state.rest = state.rest.dropFirst(capacity)
            state.count -= bytes.count
            return (.bytes(bytes), state.isWritable ? state.writer.take() : nil)
        }
        writer?.resume()
        return taken
    }

    /// Ends the writing: the transfer has ended.
    func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            state.wake = nil
            return state.writer.take()
        }
        writer?.resume()
        closing.resolve(())
    }
}
