// SPDX-License-Identifier: MIT
/// The content of a response: chunks of bytes, in order, as they arrive.
///
/// The body of a transfer can be read once: iterating takes the chunks out. When 256 KiB wait for a slow reader, the
/// client stops the origin, so memory is bounded. Over HTTP/2 libcurl keeps what it has allowed the origin to send
/// before, at most 32 MiB more. Its versions before 7.88.1, from 8.0 to 8.13, and 8.16.0 cannot stop a stream reliably:
/// with them an unread body over HTTP/2 is kept up to its limit. Dropping the body, and every iterator of it, before
/// its end cancels the transfer.
///
/// **Cancellation**: cancelling the reading task ends the transfer; `next()` throws `CancellationError`.
public struct HTTPBody: AsyncSequence, Sendable {
    /// A chunk, never empty.
    public typealias Element = [UInt8]
    /// ``HTTPError`` or `CancellationError`, or any error of a sequence that was passed to the initializer.
    public typealias Failure = any Error

    enum Storage: Sendable {
        case chunks([[UInt8]])
        case transfer(TransferBody)
        case sequence(@Sendable () -> any AsyncIteratorProtocol<[UInt8], any Error>)
    }

    /// The number of bytes in the body; `nil` when it is unknown, or when the body is compressed.
    ///
    /// For the body of a transfer the number is at most the client's limit, and a wrong number fails the transfer.
    public let expectedByteCount: Int?
    let storage: Storage

    /// Creates a body of bytes in memory.
    ///
    /// It can be read any number of times.
    public init(_ chunks: [[UInt8]]) {
        let filled = chunks.filter { !$0.isEmpty }
        storage = .chunks(filled)
        expectedByteCount = filled.reduce(0) { $0 + $1.count }
    }

    /// Creates a body of a sequence, which is iterated with the body.
    /// - Parameters:
    ///   - sequence: Chunks in order; empty ones are skipped.
    ///   - expectedByteCount: The number of bytes, if known. Not checked.
    public init<Chunks: AsyncSequence & Sendable>(_ sequence: Chunks, expectedByteCount: Int? = nil)
    where Chunks.Element == [UInt8] {
        storage = .sequence { Erased(base: sequence.makeAsyncIterator()) }
        self.expectedByteCount = expectedByteCount
    }

    init(_ transfer: TransferBody, expectedByteCount: Int?) {
        storage = .transfer(transfer)
        self.expectedByteCount = expectedByteCount
    }

    /// Creates an iterator. The body of a transfer has one only once; see ``HTTPBody``.
    public func makeAsyncIterator() -> Iterator {
        switch storage {
        case .chunks(let chunks): Iterator(source: .chunks(chunks[...]))
        case .transfer(let transfer): Iterator(source: .transfer(transfer))
        case .sequence(let make): Iterator(source: .sequence(make()))
        }
    }
}

extension HTTPBody {
    /// Reads a body chunk by chunk.
    public struct Iterator: AsyncIteratorProtocol {
        enum Source {
            case chunks(ArraySlice<[UInt8]>)
            case transfer(TransferBody)
            case sequence(any AsyncIteratorProtocol<[UInt8], any Error>)
            case ended
        }

        var source: Source

        /// The next chunk, or `nil` at the end and after an error.
        /// - Throws: ``HTTPError``; `CancellationError`.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> [UInt8]? {
            try await next(atLeast: 1, isolation: actor)
        }

        /// Like `next()`, but waits until that many bytes have arrived or the transfer has ended.
        mutating func next(
            atLeast count: Int, isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> [UInt8]? {
            switch source {
            case .ended:
                return nil
            case .chunks(var chunks):
                let chunk = chunks.popFirst()
                source = chunk == nil ? .ended : .chunks(chunks)
                return chunk
            case .transfer(let transfer):
                // Released at the end and after an error, so that its resources do not outlive the body.
                source = .ended
                guard let chunk = try await transfer.next(atLeast: count) else { return nil }
                source = .transfer(transfer)
                return chunk
            case .sequence(var iterator):
                source = .ended
                while let chunk = try await iterator.next(isolation: actor) {
                    guard !chunk.isEmpty else { continue }
                    source = .sequence(iterator)
                    return chunk
                }
                return nil
            }
        }
    }

    /// Gives every iterator the same failure type.
    private struct Erased<Base: AsyncIteratorProtocol>: AsyncIteratorProtocol where Base.Element == [UInt8] {
        var base: Base

        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> [UInt8]? {
            try await base.next(isolation: actor)
        }
    }
}

extension HTTPBody {
    /// Reads the whole body into one array.
    ///
    /// - Parameter limit: The largest number of bytes to accept.
    /// - Throws: ``HTTPError`` with code `.bodyTooLarge` as soon as the announced or the received bytes exceed the
    ///   limit, or the error of the transfer; `CancellationError`. The transfer is cancelled then.
    /// - Complexity: O(*n*) time; memory for at most twice the received bytes, plus 64 KB. An announcement alone
    ///   allocates nothing.
    public func collect(upTo limit: Int) async throws -> [UInt8] {
        if let expectedByteCount, expectedByteCount > limit {
            cancel()
            throw HTTPError.bodyTooLarge(limit: limit, announced: expectedByteCount)
        }
        // An error must end the transfer even when the caller keeps the response.
        do { return try await collectChunks(limit: limit) } catch {
            cancel()
            throw error
        }
    }

    private func collectChunks(limit: Int) async throws -> [UInt8] {
        var collector = BodyCollector(expecting: expectedByteCount)
        var iterator = makeAsyncIterator()
        // One byte beyond the limit is enough to refuse the body.
        let wanted = Swift.min(Swift.max(0, expectedByteCount ?? .max), limit < .max ? limit + 1 : limit)
        // As much as the transfer delivers at once: a small picture usually arrives in one chunk.
        while let chunk = try await iterator.next(atLeast: wanted - collector.count) {
            guard chunk.count <= limit - collector.count else {
                throw HTTPError.bodyTooLarge(limit: limit, announced: nil)
            }
            collector.append(chunk)
        }
        return collector.finish()
    }

    /// Ends the transfer of the body, if there is one and it still runs.
    package func cancel() {
        if case .transfer(let transfer) = storage { transfer.cancel() }
    }
}

extension HTTPError {
    package static func bodyTooLarge(limit: Int, announced: Int?) -> HTTPError {
        let what = announced.map { "The body is announced with \($0) bytes" } ?? "The body continues"
        return HTTPError(
            code: .bodyTooLarge, message: "\(what), beyond the limit of \(limit).",
            advice: "Raise the limit if such bodies are expected.")
    }
}
