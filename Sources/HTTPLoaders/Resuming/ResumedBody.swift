// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks

/// A body that keeps what it has delivered, and is continued when it breaks off.
struct ResumedBody: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let keeper: PartialKeeper
    /// The body of the response that brings what is missing.
    let rest: HTTPBody
    /// The number of resumptions.
    let limit: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(
            keeper: keeper, beginning: keeper.chunks[...], rest: rest, source: rest.makeAsyncIterator(), left: limit)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let keeper: PartialKeeper
        fileprivate var beginning: ArraySlice<[UInt8]>
        fileprivate var rest: HTTPBody
        fileprivate var source: HTTPBody.Iterator
        /// The number of resumptions that are left.
        fileprivate var left: Int

        mutating func next() async throws -> [UInt8]? {
            if let chunk = beginning.popFirst() { return chunk }
            while true {
                do {
                    guard let chunk = try await source.next() else {
                        try keeper.complete()
                        return nil
                    }
                    try keeper.append(chunk)
                    return chunk
                } catch let error as HTTPError {
                    guard left > 0, Self.isTransient(error), let next = try await keeper.rest() else { throw error }
                    left -= 1
                    rest = next
                    source = rest.makeAsyncIterator()
                } catch let error as CancellationError {
                    // What has arrived is kept, whether the reader has taken it or not.
                    let arrived = rest.arrivedBeginning(upTo: .max)
                    if !arrived.isEmpty { try keeper.append(arrived) }
                    throw error
                }
            }
        }

        private static func isTransient(_ error: HTTPError) -> Bool {
            [.connectionLost, .truncatedBody, .timedOut].contains(error.code)
        }
    }
}

/// Has the beginning of a body while it is read, and gives it to the store unless the body comes to its end.
final class PartialKeeper: Sendable {
    private struct State {
        var partial: PartialBody
        /// The number of bytes, also of those that are too many to be kept.
        var count: Int
        var isWhole = false
    }

    private let loader: any HTTPLoading
    private let request: HTTPRequest
    private let store: PartialBodyStore
    private let state: Mutex<State>

    init(_ loader: any HTTPLoading, _ request: HTTPRequest, _ store: PartialBodyStore, partial: PartialBody) {
        self.loader = loader
        self.request = request
        self.store = store
        state = Mutex(State(partial: partial, count: partial.count))
    }

    deinit {
        state.withLock { state in
            // Only a beginning that has every byte.
            guard !state.isWhole, state.count == state.partial.count else { return }
            store.keep(state.partial, for: request.resumptionKey)
        }
    }

    var chunks: [[UInt8]] { state.withLock { $0.partial.chunks } }

    /// Notes the next chunk.
    /// - Throws: `.bodyTooLarge` beyond the limit of the request, `.invalidResponse` beyond the announced length.
    func append(_ chunk: [UInt8]) throws(HTTPError) {
        let limit = request.options.maximumBodyByteCount ?? .max
        let maximumBodyByteCount = store.maximumBodyByteCount
        try state.withLock { state throws(HTTPError) in
            state.count += chunk.count
            if state.count == state.partial.count + chunk.count, state.count <= maximumBodyByteCount {
                state.partial.append(chunk)
            } else {
                state.partial.chunks = []
            }
            if state.count > limit {
                state.isWhole = true
                throw HTTPError.bodyTooLarge(limit: limit, announced: nil).at(request.url, 200)
            }
            if let total = state.partial.total, state.count > total {
                state.isWhole = true
                throw HTTPError(
                    code: .invalidResponse, message: "The parts of the body are longer than announced.",
                    url: request.url, status: 206)
            }
        }
    }

    /// Notes the end of the body.
    /// - Throws: `.truncatedBody` when bytes are missing.
    func complete() throws(HTTPError) {
        try state.withLock { state throws(HTTPError) in
            guard state.partial.total.map({ $0 == state.count }) ?? true else {
                throw HTTPError(
                    code: .truncatedBody, message: "The parts of the body are shorter than announced.",
                    url: request.url, status: 206)
            }
            state.isWhole = true
        }
    }

    /// The rest of the body after a break; `nil` when the origin does not give it.
    func rest() async throws -> HTTPBody? {
        let partial = state.withLock { state in
            var partial = state.partial
            partial.count = state.count
            return partial
        }
        guard partial.count > 0 else { return nil }
        guard case .rest(let rest, let total) = try await loader.rest(of: request, after: partial) else {
            // The content has changed, so the beginning is of no use.
            state.withLock { $0.isWhole = true }
            return nil
        }
        state.withLock { $0.partial.total = total }
        return rest.body
    }
}
