// SPDX-License-Identifier: MIT
public import HTTPTransport
internal import PlatformBasics
internal import TaskCoordination

/// Answers requests from memory, records them, and holds answers at gates.
///
/// It starts no task and no thread and measures no time, so a ``SeededExecutor`` sees every step. Each path is scripted
/// with a ``StubReply``; other paths get the fallback.
///
/// ```swift
/// let loader = StubLoader()
/// loader.respond(to: "/a.png", with: .ok(picture, type: "image/png"))
/// let manager = ImageManager(configuration: .init(), transport: loader)
/// ```
public final class StubLoader: HTTPLoading {
    /// Makes the reply to a request; `number` counts all requests from 1.
    public typealias Handler = @Sendable (_ request: HTTPRequest, _ number: Int) throws -> StubReply

    fileprivate struct State {
        var requests: [HTTPRequest] = []
        var counts: [String: Int] = [:]
        var scripts: [String: [StubReply]] = [:]
        var open = 0
        var peak = 0
        var cancelled = 0
        var isShutDown = false
    }

    private let state = Watched(State())
    private let shutdownGate: Gate?
    private let fallback: Handler
    /// The schemes that the loader takes; empty for all.
    public let schemes: [String]

    /// Creates a loader.
    /// - Parameters:
    ///   - schemes: The schemes that it takes; empty for all.
    ///   - shutdownGate: Holds ``shutdown()``.
    ///   - fallback: Answers the requests without a script; by default with status 404.
    public init(
        schemes: [String] = [], shutdownGate: Gate? = nil, _ fallback: @escaping Handler = { _, _ in .status(404) }
    ) {
        self.schemes = schemes
        self.shutdownGate = shutdownGate
        self.fallback = fallback
    }

    /// Sets the replies to the requests for a path, in turn; the last one is repeated.
    public func respond(to path: String, with first: StubReply, _ others: StubReply...) {
        state.change { $0.scripts[path] = [first] + others }
    }

    // MARK: - Record

    /// The requests in order.
    public var requests: [HTTPRequest] { state.read(\.requests) }
    /// The number of requests.
    public var requestCount: Int { state.read(\.requests.count) }
    /// The number of requests for a path.
    public func requestCount(for path: String) -> Int { state.read { $0.counts[path] ?? 0 } }
    /// The number of requests whose head has not been returned.
    public var openRequests: Int { state.read(\.open) }
    /// The largest number of requests that were open at the same time.
    public var peakOpenRequests: Int { state.read(\.peak) }
    /// The number of requests that were cancelled before their head was returned.
    public var cancelledRequests: Int { state.read(\.cancelled) }
    /// Whether ``shutdown()`` has returned.
    public var isShutDown: Bool { state.read(\.isShutDown) }

    /// Waits until that many requests were sent.
    ///
    /// **Cancellation**: ignored.
    public func waitForRequests(count: Int) async {
        await state.answer(ignoringCancellation: true) { $0.requests.count >= count ? () : nil }
    }

    // MARK: - Loading

    /// Records the request and returns its reply, never within the call but after a turn of the executor, as from a
    /// network.
    ///
    /// **Cancellation**: counted; a request at a gate is held all the same.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let (number, reply) = state.change { $0.receive(request) }
        defer { state.change { $0.open -= 1 } }
        await Task.yield()
        do {
            let reply = try reply ?? fallback(request, number)
            await reply.headGate?.pass()
            try Task.checkCancellation()
            if let response = try reply.response(for: request) { return response }
            await OneShot<Void>().wait(onCancel: ())
            throw CancellationError()
        } catch let error as CancellationError {
            state.change { $0.cancelled += 1 }
            throw error
        }
    }

    /// Waits for the gate of the shutdown, if there is one.
    ///
    /// Later requests are answered like earlier ones.
    public func shutdown() async {
        await shutdownGate?.pass()
        state.change { $0.isShutDown = true }
    }
}

extension StubLoader.State {
    fileprivate mutating func receive(_ request: HTTPRequest) -> (number: Int, reply: StubReply?) {
        requests.append(request)
        open += 1
        peak = max(peak, open)
        let path = request.url.path(percentEncoded: true)
        let earlier = counts[path] ?? 0
        counts[path] = earlier + 1
        let script = scripts[path] ?? []
        let reply = script.isEmpty ? nil : script[min(earlier, script.count - 1)]
        return (requests.count, reply)
    }
}
