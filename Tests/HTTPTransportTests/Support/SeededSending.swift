// SPDX-License-Identifier: MIT
import Foundation
import WebImageTesting

@testable import HTTPTransport

/// A stub behind a loader, on an executor and a clock that only the test moves.
struct SeededSending {
    let executor: SeededExecutor
    let clock = ManualClock()
    let stub = StubLoader()

    init(seed: UInt64) { executor = SeededExecutor(seed: seed) }

    /// Sends a request and runs everything that can run.
    func send(_ loader: any HTTPLoading, _ method: String = "GET", host: String = "a") -> Probe<HTTPResponse> {
        let request = HTTPRequest(url: URL(string: "http://\(host).example/x")!, method: method)
        let probe = Probe(on: executor) { try await loader.send(request) }
        executor.drain()
        return probe
    }

    /// Moves the clock and runs everything that can run.
    func advance(_ duration: Duration) {
        clock.advance(by: duration)
        executor.drain()
    }
}
