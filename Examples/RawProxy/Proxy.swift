// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport

/// What the proxy sends to its client.
struct Answer: Sendable {
    var interims: [HTTPInterimResponse] = []
    var status: Int
    /// In order, without fields of the connection.
    var headers: HTTPHeaders
    var body: [UInt8] = []

    static func text(_ status: Int, _ text: String) -> Answer {
        Answer(status: status, headers: ["Content-Type": "text/plain"], body: Array((text + "\n").utf8))
    }
}

/// A caching proxy in front of one origin. It decides nothing itself: the rules say what to do, the store keeps, and
/// the client asks.
struct Proxy: Sendable {
    static let name = "raw-proxy"

    let client: any HTTPLoading
    let store: any RawResponseStoring
    let rules: HTTPCacheRules
    var maximumBodyByteCount = 64 << 20
    /// The time, which tests set.
    var now: @Sendable () -> HTTPDate = { HTTPDate(Date()) }

    /// Answers a request whose fields are those of the client.
    func answer(_ asked: HTTPRequest) async -> Answer {
        var request = asked
        request.headers = asked.headers.endToEnd
        for name in ["Host", "Content-Length", "Expect"] { request.headers[name] = nil }
        request.headers.append(name: "Via", value: "1.1 " + Self.name)
        request.options.decodesContent = false
        do {
            return try await answerByRules(request)
        } catch {
            var answer = Answer.text(502, "The cache of the proxy failed: \(error)")
            CacheStatus(.forward(.bypass), cache: Self.name).append(to: &answer.headers)
            return answer
        }
    }

    private func answerByRules(_ request: HTTPRequest) async throws -> Answer {
        guard let target = CacheTarget(request.url) else { return .text(400, "That is no address.") }
        let kept = try await store.responses(for: target)
        let decision = rules.decide(request, stored: kept.map(\.stored), now: now())
        var status = CacheStatus(decision, cache: Self.name)
        switch decision {
        case .useFresh(let selection), .useStale(let selection):
            return Self.answer(request, kept[selection.index], selection, status)
        case .useWhileRevalidating(let selection, let revalidation):
            // The refresh belongs to the proxy: it goes on when the client leaves.
            Task {
                _ = try? await exchange(request, target, kept, revalidation, CacheStatus(decision, cache: Self.name))
            }
            return Self.answer(request, kept[selection.index], selection, status)
        case .revalidate(_, let revalidation): return try await exchange(request, target, kept, revalidation, status)
        case .forward: return try await exchange(request, target, kept, nil, status)
        case .gatewayTimeout:
            status.key = nil
            var answer = Answer.text(504, "Nothing suitable is stored.")
            status.append(to: &answer.headers)
            return answer
        }
    }

    /// Asks the origin, keeps what may be kept, and answers.
    private func exchange(
        _ request: HTTPRequest, _ target: CacheTarget, _ kept: [RawResponse], _ revalidation: Revalidation?,
        _ facts: CacheStatus
    ) async throws -> Answer {
        var status = facts
        let arrived: Arrived
        do {
            arrived = try await send(revalidation?.request(for: request) ?? request)
        } catch {
            return standIn(.noResponse, request, kept, status)
                ?? .text(error is HTTPError ? 502 : 504, "The origin did not answer: \(error)")
        }
        status.forwardStatus = arrived.head.status
        if let revalidation, arrived.head.status == 304 {
            let changes = rules.freshen(kept.map(\.stored), by: arrived.head, of: request, after: revalidation).changes
            for change in changes where change.action != .leave {
                let new = change.action == .replace ? change.response : nil
                try await store.change(kept[change.index].stored, to: new, for: target)
            }
            if let last = changes.last {
                let response = RawResponse(stored: last.response, body: kept[last.index].body)
                return Self.answer(request, response, now: now(), status, arrived.interims)
            }
            // The 304 is about a tag of the client's own, or about nothing that is kept: the client asks again.
            if revalidation.isOursAlone { return try await exchange(request, target, [], nil, status) }
        }
        if let answer = standIn(.status(arrived.head.status), request, kept, status) { return answer }
        status.isStored = try await keep(arrived, request, target, kept)
        var answer = Answer(
            interims: arrived.interims, status: arrived.head.status, headers: arrived.head.headers.endToEnd,
            body: arrived.body)
        status.append(to: &answer.headers)
        return answer
    }

    /// - Returns: Whether the response was kept.
    private func keep(
        _ arrived: Arrived, _ request: HTTPRequest, _ target: CacheTarget, _ kept: [RawResponse]
    ) async throws -> Bool {
        for ended in rules.invalidated(by: arrived.head, of: request) { try await store.remove(ended) }
        for change in rules.freshen(kept.map(\.stored), byHead: arrived.head, of: request).changes {
            let new = change.action == .remove ? nil : change.response
            try await store.change(kept[change.index].stored, to: new, for: target)
        }
        guard let entry = rules.entry(for: request, arrived.head) else { return false }
        try await store.store(RawResponse(stored: entry, body: arrived.body), for: target)
        return true
    }

    private func standIn(
        _ failure: OriginFailure, _ request: HTTPRequest, _ kept: [RawResponse], _ facts: CacheStatus
    ) -> Answer? {
        guard let selection = rules.standIn(on: failure, for: request, stored: kept.map(\.stored), now: now()) else {
            return nil
        }
        var status = facts
        status.secondsToLive = selection.secondsToLive
        return Self.answer(request, kept[selection.index], selection, status)
    }
}

extension Proxy {
    /// A response of the origin, whole.
    struct Arrived {
        let head: ResponseHead
        let interims: [HTTPInterimResponse]
        let body: [UInt8]
    }

    private func send(_ request: HTTPRequest) async throws -> Arrived {
        let sent = now()
        let response = try await client.send(request)
        let head = ResponseHead(
            status: response.status, headers: response.headers, requestTime: sent, responseTime: now())
        let body = try await response.body.collect(upTo: maximumBodyByteCount)
        return Arrived(head: head, interims: response.interimResponses, body: body)
    }

    /// The answer from a response that the origin has just confirmed.
    private static func answer(
        _ request: HTTPRequest, _ response: RawResponse, now: HTTPDate, _ status: CacheStatus,
        _ interims: [HTTPInterimResponse]
    ) -> Answer {
        var answer = plain(request, response, isNotModified: response.stored.isNotModified(for: request))
        answer.headers["Age"] = String(response.stored.age(at: now))
        answer.interims = interims
        status.append(to: &answer.headers)
        return answer
    }

    private static func answer(
        _ request: HTTPRequest, _ response: RawResponse, _ selection: Selection, _ status: CacheStatus
    ) -> Answer {
        var answer = plain(request, response, isNotModified: selection.isNotModified)
        answer.headers = selection.fields(of: response.stored)
        status.append(to: &answer.headers)
        return answer
    }

    private static func plain(_ request: HTTPRequest, _ response: RawResponse, isNotModified: Bool) -> Answer {
        let head = response.stored.head
        return Answer(status: isNotModified ? 304 : head.status, headers: head.headers, body: response.body)
    }
}
