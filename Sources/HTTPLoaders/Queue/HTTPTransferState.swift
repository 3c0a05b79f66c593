// SPDX-License-Identifier: MIT
import HTTPTransport

/// Where a transfer of an ``HTTPTransferQueue`` stands.
public enum HTTPTransferState: Sendable, Hashable {
    /// It has not begun: it comes after another transfer, its queue is suspended or full, or the client has no
    /// connection for it.
    case waiting
    /// The name is looked up, or the connection is made or chosen.
    case connecting
    /// The request is sent; so many bytes of its content have left. A content of up to 64 KiB in memory counts as 0
    /// until the response begins.
    case sending(byteCount: Int)
    /// The response arrives: so many bytes of its body before decompression, of so many if that is known.
    case receiving(byteCount: Int, expected: Int?)
    /// ``HTTPTransfer/pause()`` has ended it for now.
    case paused
    /// Nothing more happens.
    case ended(Ending)

    /// How a transfer has ended.
    public enum Ending: Sendable, Hashable {
        /// There is a response.
        case succeeded
        /// There is an error.
        case failed
        /// ``HTTPTransfer/cancel()`` came first.
        case cancelled
    }

    /// Whether nothing more happens.
    public var isEnded: Bool { if case .ended = self { true } else { false } }
}

/// The present state of a transfer, and then each other one.
///
/// A reader that is slow gets the newest state and not those before it, but always the last
/// ``HTTPTransferState/sending(byteCount:)`` of a run and the last of all. The sequence ends after
/// ``HTTPTransferState/ended(_:)``. Any number of readers may have one each.
///
/// **Cancellation**: ends the sequence.
public struct HTTPTransferStates: AsyncSequence, Sendable {
    let board: TransferBoard

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(board: board) }

    /// Reads the states of a transfer.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let board: TransferBoard
        fileprivate var last: HTTPTransferState?
        fileprivate var sent: HTTPTransferState?

        /// The next state; `nil` after the end of the transfer.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> HTTPTransferState? {
            guard last?.isEnded != true, let (state, lastSent) = await board.states(after: last, sent) else {
                return nil
            }
            last = lastSent == sent ? state : lastSent ?? state
            sent = lastSent
            return last
        }
    }
}
