extension HTTPBody {
    /// Reads the whole body into one array.
    ///
    /// - Parameter limit: Most bytes to accept.
    /// - Throws: ``HTTPError`` with code `.bodyTooLarge` as soon as the announced or the received bytes exceed the limit, or
    ///   the error of the transfer; `CancellationError`. The transfer is cancelled then.
    /// - Complexity: O(*n*) time; one array of the announced size, or one that grows by doubling when no size, or one
    ///   above 1 MiB, was announced (an announcement alone does not make this client allocate more).
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
        var iterator = makeAsyncIterator()
        let wanted = expectedByteCount ?? 64 << 10
        guard var bytes = try await iterator.next(atLeast: wanted) else { return [] }
        guard bytes.count <= limit else { throw HTTPError.bodyTooLarge(limit: limit, announced: nil) }
        // The usual small picture is complete here: its chunk is the result, without a copy.
        var isSized = bytes.count >= wanted
        while let chunk = try await iterator.next(atLeast: wanted - bytes.count) {
            guard chunk.count <= limit - bytes.count else { throw HTTPError.bodyTooLarge(limit: limit, announced: nil) }
            if !isSized {
                bytes.reserveCapacity(Swift.min(wanted, 1 << 20))
                isSized = true
            }
            bytes.append(contentsOf: chunk)
        }
        return bytes
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
