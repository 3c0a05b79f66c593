// SPDX-License-Identifier: MIT
internal import Locks

/// The record of a server: the requests, and the counts that tests wait for.
final class OriginRecord: Sendable {
    private struct State {
        var requests: [OriginRequest] = []
        var counts: [String: Int] = [:]
        var tallies: [String: Tally] = [:]
        var total = 0
        var openRequests = 0
        var peakOpenRequests = 0
        var bodyBytesSent = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    let requestTally = Tally()
    let peerCloseTally = Tally()
    let refusalTally = Tally()
    let failedHandshakeTally = Tally()

    /// - Parameter limit: How many requests, and how many paths, are kept.
    init(limit: Int) {
        self.limit = limit
    }

    var requests: [OriginRequest] { state.withLock { $0.requests } }
    var openRequests: Int { state.withLock { $0.openRequests } }
    var peakOpenRequests: Int { state.withLock { $0.peakOpenRequests } }
    var bodyBytesSent: Int { state.withLock { $0.bodyBytesSent } }

    func count(for path: String) -> Int { state.withLock { $0.counts[path] ?? 0 } }

    /// Records a request, which is open until ``finishRequest()``.
    ///
    /// - Returns: The request with its number and its attempt.
    func add(_ request: OriginRequest) -> OriginRequest {
        let (request, tally) = state.withLock { state -> (OriginRequest, Tally?) in
            var request = request
            state.total += 1
            request.number = state.total
            if let count = state.counts[request.path] {
                request.attempt = count + 1
                state.counts[request.path] = count + 1
            } else {
                request.attempt = 1
                if state.counts.count < limit { state.counts[request.path] = 1 }
            }
            if state.requests.count < limit { state.requests.append(request) }
            state.openRequests += 1
            state.peakOpenRequests = max(state.peakOpenRequests, state.openRequests)
            return (request, state.tallies[request.path])
        }
        tally?.increment()
        requestTally.increment()
        return request
    }

    /// Records that a reply has reached its end or its last bytes.
    func finishRequest() {
        state.withLock { $0.openRequests -= 1 }
    }

    func addBodyBytes(_ count: Int) {
        state.withLock { $0.bodyBytesSent += count }
    }

    /// The tally of one path, made on demand with what was counted so far.
    func tally(for path: String) -> Tally {
        state.withLock { state in
            if let tally = state.tallies[path] { return tally }
            let tally = Tally(count: state.counts[path] ?? 0, isClosed: state.isClosed)
            state.tallies[path] = tally
            return tally
        }
    }

    /// Forgets the requests and restarts the peak.
    ///
    /// The tallies continue.
    func forgetRequests() {
        state.withLock { state in
            state.requests = []
            state.peakOpenRequests = state.openRequests
        }
    }

    /// Wakes all waiting tasks.
    func close() {
        let tallies = state.withLock { state in
            state.isClosed = true
            return Array(state.tallies.values)
        }
        for tally in tallies + [requestTally, peerCloseTally, refusalTally, failedHandshakeTally] { tally.close() }
    }
}
