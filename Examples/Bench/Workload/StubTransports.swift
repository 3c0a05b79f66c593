// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination

/// Answers every request at once with the same bytes.
struct WarmTransport: HTTPLoading {
    let body: [UInt8]

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "image/jpeg"], url: request.url, body: HTTPBody([body]))
    }

    func shutdown() async {}
}

/// Never answers; ends a request when it is cancelled.
///
/// Serves one known number of requests.
struct SilentTransport: HTTPLoading {
    private let started: Turnstile
    private let ended: Turnstile

    init(expecting count: Int) {
        started = Turnstile(count)
        ended = Turnstile(count)
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        started.arrive()
        await OneShot<Void>().wait(onCancel: ())
        ended.arrive()
        throw CancellationError()
    }

    func allStarted() async { await started.opened() }
    func allEnded() async { await ended.opened() }

    func shutdown() async {}
}
