import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An HTTP client on libcurl, for servers: bounded in everything, and careful about where it connects.
///
/// The actor's executor is its own event-loop thread, where libcurl runs; a request costs its caller one message to it
/// and one resumption. HTTP/1.1 and, over TLS, HTTP/2. Bodies may be compressed with gzip: pictures bring their own compression, and
/// every further coding is one more decoder for untrusted input. Cookies are neither kept nor sent. Connections are kept and reused within a client.
///
/// ``shutdown()`` ends the thread; so does letting go of the client and of the bodies of its responses.
public actor HTTPClient: HTTPLoading {
    nonisolated let loop: EventLoop
    nonisolated let configuration: Configuration

    /// Makes a client and starts its thread.
    ///
    /// When the process has no thread or descriptor left, every ``send(_:)`` throws ``HTTPError`` with code `.shutDown`.
    public init(configuration: Configuration = .init()) {
        self.init(configuration: configuration, lookUp: NameResolver.system)
    }

    /// - Parameter lookUp: Leads from names to addresses.
    init(configuration: Configuration, lookUp: @escaping NameResolver.LookUp) {
        var configuration = configuration
        configuration.shareDescriptors(free: Descriptors.freeCount)
        // Sent as it is with every request, so a line break in it must not become a header.
        configuration.userAgent.unicodeScalars.removeAll { $0.value < 0x20 || $0.value == 0x7F }
        self.configuration = configuration
        loop = EventLoop(configuration: configuration, lookUp: lookUp)
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
    /// other than GET and HEAD into GET; 307 and 308 keep method and body. Of the header fields only
    /// ``Configuration/headersForOtherOrigins`` are sent on to another origin.
    ///
    /// **Cancellation**: ends the transfer at once, also while a name is looked up, a connection is made or the request
    /// waits for one. **Isolation**: checks run where the caller is, the transfer on the event loop. **Priority**: first
    /// come, first served.
    /// - Throws: ``HTTPError``; `CancellationError`.
    /// - Source: RFC 9110, section 15.4.
    public nonisolated func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let started = LoopThread.nanoseconds
        let recorder = MetricsRecorder(HTTPMetrics())
        var redirects = RedirectChain(first: try Hop(request, limits: configuration), limits: configuration)
        while true {
            let transfer = Transfer(
                id: loop.makeID(), hop: redirects.current, configuration: configuration, started: started,
                recorder: recorder)
            let answer = try await answer(to: transfer)
            let head = answer.head
            let body = TransferBody(
                pipe: transfer.pipe, id: transfer.id, client: self,
                decoder: answer.isCompressed ? makeDecoder(redirects.url, head.status) : nil)
            guard try redirects.follow(head) else {
                return HTTPResponse(
                    status: head.status, headers: head.headers, url: redirects.url,
                    body: HTTPBody(body, expectedByteCount: answer.expectedCount), recorder: recorder)
            }
            recorder.update { $0.redirectCount += 1 }
            try await discard(body)
        }
    }

    /// Cancels what runs, closes every connection, and waits until the thread is gone.
    ///
    /// Those who wait for a response or a body get ``HTTPError`` with code `.shutDown`, and so does every later call of
    /// ``send(_:)``. May be called more than once.
    public nonisolated func shutdown() async {
        await loop.stopAndJoin()
    }

    /// Transfers that wait or run.
    public var transferCount: Int { loop.multi.transfers.count }

    /// What the event loop keeps, for tests.
    var tables: TableCounts { loop.multi.tables }

    // MARK: - One hop

    private nonisolated func makeDecoder(_ url: URL, _ status: Int) -> GzipDecoder {
        let limits = GzipDecoder.Limits(
            byteCount: configuration.maximumBodyByteCount, ratio: configuration.maximumCompressionRatio)
        return GzipDecoder(limits, url: url, status: status)
    }

    /// Starts the transfer and waits for its head.
    ///
    /// A message instead of a call of an isolated method: a continuation resumes on the global pool, whichever actor it
    /// was made in, so that being isolated here would cost two more hops for every request.
    private nonisolated func answer(to transfer: Transfer) async throws -> Transfer.Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { caller in
                transfer.caller = caller
                if !loop.post(.start(transfer)) {
                    transfer.end(.failure(HTTPError(code: .shutDown, message: loop.reasonForEnd)))
                }
            }
        } onCancel: {
            // Runs under the lock of the task's status: nothing but this may happen here. The flag counts when the
            // message overtakes the one that starts the transfer.
            transfer.isCancelled.store(true, ordering: .releasing)
            loop.post(.cancel(transfer.id))
        }
    }

    /// Reads the rest of an answer that nobody wants, so that its connection can be reused, unless that takes long.
    private nonisolated func discard(_ body: TransferBody) async throws {
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
