/// An HTTP client on libcurl, for servers: bounded in everything, and careful about where it connects.
///
/// The actor runs on its own event-loop thread, together with libcurl; a request costs its caller one hop there and one
/// back. HTTP/1.1 and, over TLS, HTTP/2; gzip, brotli, deflate and zstd as far as libcurl has them. Cookies are neither kept
/// nor sent. Connections are kept and reused within a client.
///
/// ``shutdown()`` ends the thread; so does letting go of the client and of the bodies of its responses.
public actor HTTPClient: HTTPLoading {
    nonisolated let loop: EventLoop
    nonisolated let configuration: Configuration
    private var nextID: UInt64 = 0

    /// Makes a client and starts its thread.
    ///
    /// When the process has no thread or descriptor left, every ``send(_:)`` throws ``HTTPError`` with code `.shutDown`.
    public init(configuration: Configuration = .init()) {
        self.configuration = configuration
        loop = EventLoop(configuration: configuration)
    }

    deinit {
        loop.stop()
    }

    /// The event loop of this client.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Sends the request, follows redirects, and returns when the head of the final answer is there.
    ///
    /// Redirects are followed here: each hop passes the same checks as the request itself. 301, 302 and 303 turn methods
    /// other than GET and HEAD into GET; 307 and 308 keep method and body. Credentials are not sent on to another origin.
    ///
    /// **Cancellation**: ends the transfer at once, also while a name is looked up, a connection is made or the request
    /// waits for one. **Isolation**: runs on the event loop; never blocks it. **Priority**: first come, first served.
    /// - Throws: ``HTTPError``; `CancellationError`.
    /// - Source: RFC 9110, section 15.4.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let started = LoopThread.nanoseconds
        let recorder = MetricsRecorder(HTTPMetrics())
        var redirects = RedirectChain(first: try Hop(request, limits: configuration), limits: configuration)
        while true {
            let transfer = makeTransfer(for: redirects.current, started: started, recorder: recorder)
            let head = try await self.head(of: transfer)
            let body = TransferBody(pipe: transfer.pipe, id: transfer.id, client: self)
            guard try redirects.follow(head) else {
                return HTTPResponse(
                    status: head.status, headers: head.headers, url: redirects.url,
                    body: HTTPBody(body, expectedByteCount: transfer.expectedCount), recorder: recorder)
            }
            recorder.update { $0.redirectCount += 1 }
            try await self.discard(body)
        }
    }

    /// Cancels what runs, closes every connection, and waits until the thread is gone.
    ///
    /// Those who wait for a response or a body get ``HTTPError`` with code `.shutDown`, and so does every later call of
    /// ``send(_:)``. May be called more than once.
    public nonisolated func shutdown() async {
        await loop.stopAndJoin()
    }

    // MARK: - One hop

    private func makeTransfer(for hop: Hop, started: UInt64, recorder: MetricsRecorder) -> Transfer {
        nextID += 1
        return Transfer(id: nextID, hop: hop, configuration: configuration, started: started, recorder: recorder)
    }

    /// Starts the transfer and waits for its head.
    private func head(of transfer: Transfer) async throws -> ResponseHead {
        let id = transfer.id
        let loop = loop
        // The closure must call a method of `self`: one that does not mention it runs on the global executor.
        return try await withTaskCancellationHandler {
            try await self.startAndWait(transfer)
        } onCancel: {
            // Runs under the lock of the task's status: nothing but a message may happen here.
            loop.post(.cancel(id))
        }
    }

    private func startAndWait(_ transfer: Transfer) async throws -> ResponseHead {
        try await withCheckedThrowingContinuation { caller in
            loop.multi.assertOnLoop()
            // Looked at here and not before the `await`: a cancellation from now on finds the transfer in the table.
            guard !Task.isCancelled else { return caller.resume(throwing: CancellationError()) }
            transfer.caller = caller
            loop.multi.start(transfer)
        }
    }

    /// Reads the rest of an answer that nobody wants, so that its connection can be reused, unless that takes long.
    private func discard(_ body: TransferBody) async throws {
        var discarded = 0
        while discarded < Self.discardLimit {
            do {
                guard let chunk = try await body.next(atLeast: 1) else { return }
                discarded += chunk.count
            } catch let error as HTTPError where error.code != .shutDown {
                return
            }
        }
        body.cancel()
    }

    /// A redirect with a longer body costs a connection, which is cheaper than the bytes.
    private static let discardLimit = 16 << 10
}
