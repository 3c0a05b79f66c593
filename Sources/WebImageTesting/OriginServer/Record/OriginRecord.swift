// SPDX-License-Identifier: MIT
internal import TaskCoordination

/// The record of a server: the requests, and the counts that tests wait for.
final class OriginRecord: Sendable {
    struct State {
        var requests: [OriginRequest] = []
        /// The requests for each path.
        var counts: [String: Int] = [:]
        var requestCount = 0
        var openRequests = 0
        var peakOpenRequests = 0
        var bodyBytesSent = 0
        var closedByPeer = 0
        var refusedRequests = 0
        var failedHandshakes = 0
        /// Whether the server has stopped, and no count will grow.
        var isClosed = false
    }

    let state = Watched(State())
    private let limit: Int

    /// - Parameter limit: How many requests, and how many paths, are kept.
    init(limit: Int) {
        self.limit = limit
    }

    /// Records a request, which is open until its reply has reached its end or its last bytes.
    ///
    /// - Returns: The request with its number and its attempt.
    func add(_ request: OriginRequest) -> OriginRequest {
        state.change { state in
            var request = request
            state.requestCount += 1
            request.number = state.requestCount
            let count = state.counts[request.path]
            request.attempt = (count ?? 0) + 1
            if count != nil || state.counts.count < limit { state.counts[request.path] = request.attempt }
            if state.requests.count < limit { state.requests.append(request) }
            state.openRequests += 1
            state.peakOpenRequests = max(state.peakOpenRequests, state.openRequests)
            return request
        }
    }

    /// Waits until a count has reached a number.
    ///
    /// - Returns: `false` when the task was cancelled or the server stopped before.
    func wait(for threshold: Int, _ count: @escaping @Sendable (State) -> Int) async -> Bool {
        let isReached = await state.answer { state -> Bool? in
            if count(state) >= threshold { return true }
            return state.isClosed ? false : nil
        }
        return isReached ?? false
    }
}
