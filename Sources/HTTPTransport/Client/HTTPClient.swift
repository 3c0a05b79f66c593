// SPDX-License-Identifier: MIT
import EventLoops
import PlatformBasics
import Synchronization
import TaskCoordination

/// An HTTP client on libcurl for servers, with limits on every resource and a policy for addresses.
///
/// HTTP/1.1 and, over TLS, HTTP/2. Bodies may be compressed with gzip and no other coding: pictures have their own
/// compression, and every further coding is one more decoder for untrusted input. Cookies are neither kept nor sent
/// unless the configuration has a jar.
/// Connections are kept and reused within a client. ``shutdown()`` ends its thread, and so does releasing the client
/// and the bodies of its responses. Processes that the program starts inherit no connection.
///
/// **Isolation**: a class and not an actor, because it has no state, only constants. libcurl and the transfers belong
/// to an internal actor whose executor is the client's event loop; a request costs its caller one message to it and one
/// resumption.
public final class HTTPClient: HTTPLoading {
    let settings: TransferSettings
    /// The actor on the event loop.
    let table: TransferTable
    /// The error of calls when the table takes no message.
    private let refusal: HTTPError

    /// Creates a client and starts its thread.
    ///
    /// When the process has no thread or descriptor left, every ``send(_:)`` throws ``HTTPError`` with code
    /// `.shutDown`.
    public convenience init(configuration: Configuration = .init()) {
        self.init(configuration: configuration, lookUp: NameResolver.system)
    }

    /// - Parameter lookUp: Resolves names to addresses.
    init(configuration: Configuration, lookUp: @escaping NameResolver.LookUp) {
        var configuration = configuration
        configuration.shareDescriptors(free: Descriptors.freeCount)
        // Sent unchanged with every request, so a line break in it must not become a header.
        configuration.userAgent.unicodeScalars.removeAll { $0.value < 0x20 || $0.value == 0x7F }
        configuration.tlsForHosts = Dictionary(
            configuration.tlsForHosts.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        settings = TransferSettings(configuration)
        table = TransferTable(settings, lookUp: lookUp)
        refusal =
            table.start()
            ? .shutDown
            : HTTPError(code: .shutDown, message: "The process has no descriptor left for an HTTP client.")
    }

    deinit {
        table.loop.stop()
    }

    /// Sends the request, follows redirects, and returns when the head of the final response has arrived.
    ///
    /// The client and not libcurl follows redirects: each hop passes the same checks as the request itself. 301, 302
    /// and 303 turn methods other than GET and HEAD into GET; 307 and 308 keep method and body. Of the header fields
    /// only ``Configuration/headersForOtherOrigins`` are sent on to another origin. An ``HTTPRedirectRule`` may decide
    /// otherwise, within these checks.
    ///
    /// A content that is a file or a stream is sent to its end before this method returns, unless the transfer ends
    /// earlier. An origin that waits for its response to be read meanwhile waits in vain.
    ///
    /// **Cancellation**: ends the transfer at once, also during a look-up, during a connect or while the request waits
    /// for a connection. **Isolation**: checks run on the caller's executor, the transfer on the event loop.
    /// **Priority**: that of ``HTTPRequest/Options-swift.struct/priority``; first come, first served among equals.
    /// - Throws: ``HTTPError``; `CancellationError`.
    /// - Source: RFC 9110, section 15.4.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let started = EventLoop.nanoseconds
        let recorder = MetricsRecorder(HTTPMetrics())
        let settings = settings.merged(with: request)
        let first = try Hop(request.hasOptions ? request.authorized() : request, settings: settings)
        var redirects = RedirectChain(first: first, settings: settings)
        var challenges = try ChallengeChain(settings.configuration)
        while true {
            let hop = redirects.current
            let order = TransferOrder(
                id: table.makeID(), hop: hop, settings: settings, cookie: cookie(for: hop, settings),
                proxyAuthorization: challenges.proxyField,
                upload: hop.request.isStreamed ? try await hop.request.upload() : nil,
                started: started, recorder: recorder, table: table)
            let answer: Transfer.Answer
            do {
                answer = try await order.upload == nil ? self.answer(to: order) : send(order)
            } catch let error as HTTPError where error.code == .proxyAuthenticationRequired {
                guard try await challenges.answerProxy(fields: [], of: hop) else { throw error }
                continue
            }
            let head = answer.head
            let isDecoded = head.coding == .gzip && request.decodesContent
            let decoder = isDecoded ? GzipDecoder(settings.configuration, url: redirects.url, status: head.status) : nil
            let body = TransferBody(order, of: self, decoder: decoder)
            if let jar = settings.configuration.cookieJar, hop.request.cookies?.keepsAnswered != false {
                jar.store(head.headers.values(for: "Set-Cookie"), from: hop.origin, path: Origin.path(of: hop.target))
            }
            if try await challenges.renew(&redirects, after: head) {
                try await discard(body)
                continue
            }
            guard try await redirects.follow(head) else {
                let response = HTTPResponse(
                    status: head.status, headers: head.headers, interimResponses: head.interims, url: redirects.url,
                    body: HTTPBody(body, expectedByteCount: answer.expectedCount), recorder: recorder)
                return try response.checked(
                    settings.configuration.acceptableStatuses, settings.configuration.acceptableContentTypes,
                    for: request)
            }
            recorder.update { $0.redirectCount += 1 }
            try await discard(body)
        }
    }

    /// Cancels every transfer, closes every connection, and waits until the thread has ended.
    ///
    /// Callers that wait for a response or a body get ``HTTPError`` with code `.shutDown`, and so does every later call
    /// of ``send(_:)``. May be called more than once.
    public func shutdown() async {
        await table.loop.stopAndJoin()
    }

    /// The number of transfers that wait or run.
    public var transferCount: Int {
        get async { await table.count }
    }

    /// `http` and `https`.
    public var schemes: [String] { ["http", "https"] }

    // MARK: - One hop

    /// The field that this hop gets from the cookie jar and the request's cookies. A field of the request takes its
    /// place.
    private func cookie(for hop: Hop, _ settings: TransferSettings) -> String? {
        let (jar, cookies) = (settings.configuration.cookieJar, hop.request.cookies)
        guard jar != nil || cookies != nil, !hop.request.headers.contains(name: "Cookie") else { return nil }
        return (cookies ?? HTTPRequestCookies()).field(jar, for: hop)
    }

    /// Sends the order with its content, and waits for its head and the end of the content.
    private func send(_ order: TransferOrder) async throws -> Transfer.Answer {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await order.upload?.pump(url: order.hop.request.url) }
            let answer = try await answer(to: order)
            // The end of the content, or of the transfer, which wants no more of it: a stream that waits is cancelled.
            group.addTask { await order.upload?.pipe.waitUntilClosed() }
            try await group.next()
            group.cancelAll()
            return answer
        }
    }

    /// Starts the transfer and waits for its head.
    ///
    /// A message instead of a call of an isolated method: a continuation resumes on the global pool, whichever actor it
    /// was made in. An isolated method would cost two more hops for every request.
    private func answer(to order: TransferOrder) async throws -> Transfer.Answer {
        try await withTaskCancellationHandler {
            try await withThrowingSuspension { caller in
                if !table.mailbox.post(.start(order, caller)) { caller.resume(with: .failure(refusal)) }
            }
        } onCancel: {
            // Runs under the lock of the task's status, so it must do nothing else. The flag counts when this message
            // overtakes the one that starts the transfer.
            order.isCancelled.store(true, ordering: .releasing)
            table.mailbox.post(.cancel(order.id))
        }
    }

    /// Reads the rest of an unused response, so that its connection can be reused, unless that takes long.
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

    /// A redirect with a longer body costs a connection, which is cheaper than reading the body.
    private static let discardLimit = 16 << 10
}
