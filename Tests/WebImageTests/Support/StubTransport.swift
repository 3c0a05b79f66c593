// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import WebImageTesting

/// Answers from memory, counts, and holds answers at gates. Starts no task and no thread, so a seeded executor sees
/// every step.
final class StubTransport: HTTPLoading {
    typealias Answer = @Sendable (HTTPRequest) throws -> HTTPResponse

    private struct State {
        var requests: [HTTPRequest] = []
        var open = 0
        var peak = 0
        var cancelled = 0
        var isShutDown = false
    }

    private let state = Mutex(State())
    private let gate: Gate?
    private let held: Int?
    private let endGate: Gate?
    private let reading: Reading

    /// Reads a request when it is sent, and says what is answered later.
    typealias Reading = @Sendable (HTTPRequest) -> @Sendable () throws -> HTTPResponse

    /// - Parameters:
    ///   - gate: Holds the answers.
    ///   - held: The number of the only request that the gate is for, from 1.
    ///   - endGate: Holds the shutdown.
    convenience init(gate: Gate? = nil, holding held: Int? = nil, endGate: Gate? = nil, _ answer: @escaping Answer) {
        self.init(gate: gate, holding: held, endGate: endGate) { request in { try answer(request) } }
    }

    init(gate: Gate? = nil, holding held: Int? = nil, endGate: Gate? = nil, reading: @escaping Reading) {
        self.gate = gate
        self.held = held
        self.endGate = endGate
        self.reading = reading
    }

    var requests: [HTTPRequest] { state.withLock { $0.requests } }
    /// The number of responses that callers wait for.
    var open: Int { state.withLock { $0.open } }
    var peak: Int { state.withLock { $0.peak } }
    var cancelled: Int { state.withLock { $0.cancelled } }
    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let number = state.withLock { state in
            state.requests.append(request)
            state.open += 1
            state.peak = max(state.peak, state.open)
            return state.requests.count
        }
        defer { state.withLock { $0.open -= 1 } }
        let answer = reading(request)
        // As from a network, a response never arrives within the call, so there are several orders.
        await Task.yield()
        if held ?? number == number { await gate?.pass() }
        if Task.isCancelled { state.withLock { $0.cancelled += 1 } }
        try Task.checkCancellation()
        return try answer()
    }

    func shutdown() async {
        await endGate?.pass()
        state.withLock { $0.isShutDown = true }
    }
}

extension HTTPResponse {
    /// A picture whose seed is the number in the last component of the path: `/7.png`.
    static func picture(for request: HTTPRequest) throws -> HTTPResponse {
        let bytes = try Pictures.png(Int(request.url.lastPathComponent.prefix { $0 != "." }) ?? 0)
        let chunks = [Array(bytes.prefix(50)), Array(bytes.dropFirst(50))]
        return HTTPResponse(status: 200, url: request.url, body: HTTPBody(chunks))
    }
}
