extension HTTPBody {
    /// Reads the whole body into one array.
    ///
    /// - Parameter limit: Most bytes to accept.
    /// - Throws: ``HTTPError`` with code `.bodyTooLarge` as soon as the announced or the received bytes exceed the limit, or
    ///   the error of the transfer; `CancellationError`. The transfer is cancelled then.
    /// - Complexity: O(*n*) time; memory for at most twice the bytes that came, plus 64 KB. An announcement alone
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
        let wanted = Swift.max(0, expectedByteCount ?? .max)
        // As much as the transfer hands out at once: the usual small picture comes in one chunk.
        while let chunk = try await iterator.next(atLeast: wanted - collector.count) {
            guard chunk.count <= limit - collector.count else {
                throw HTTPError.bodyTooLarge(limit: limit, announced: nil)
            }
            collector.append(chunk)
        }
        return collector.finish()
    }

    /// Ends the transfer behind the body, if there is one and it still runs.
    func cancel() {
        if case .transfer(let transfer) = storage { transfer.cancel() }
    }
}

extension HTTPError {
    static func bodyTooLarge(limit: Int, announced: Int?) -> HTTPError {
        let what = announced.map { "The body is announced with \($0) bytes" } ?? "The body goes on"
        return HTTPError(
            code: .bodyTooLarge,
            message: "\(what), beyond the limit of \(limit); raise the limit if such bodies are expected.")
    }
}
