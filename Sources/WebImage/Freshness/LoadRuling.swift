// SPDX-License-Identifier: MIT
import HTTPCaching
import HTTPTransport
import Locks
import PlatformBasics

/// What HTTP's rules have decided about one load with ``CachePolicy/http``, and what has come of it.
///
/// The rules speak of originals. Variants and files follow their original.
final class LoadRuling: Sendable {
    private struct Outcome {
        var mayKeep = true
        var status: Int?
        var isCollapsed = false
    }

    let pipeline: Pipeline
    /// The request as it was made.
    let request: ImageRequest
    /// What the origin has said about the stored original; `nil` when nothing is stored.
    let known: OriginResponse?
    let decision: CacheDecision
    private let asked: HTTPRequest
    private let outcome = Mutex(Outcome())

    /// Decides about a request.
    init(_ pipeline: Pipeline, _ request: ImageRequest, _ known: OriginResponse?) {
        (self.pipeline, self.request, self.known) = (pipeline, request, known)
        asked = pipeline.ruledRequest(request)
        decision = pipeline.decide(asked, request, known)
    }

    private var rules: HTTPCacheRules { pipeline.configuration.cacheRules }

    /// Whether caches may keep what the load has brought.
    var mayKeep: Bool { outcome.withLock { $0.mayKeep } }

    /// What happened at the origin; `nil` when it was not asked.
    ///
    /// - Parameter isFromOrigin: Whether the load ends with content that a transfer has brought.
    func facts(isFromOrigin: Bool) -> LoadFacts? {
        let outcome = outcome.withLock { $0 }
        let reason: CacheDecision.ForwardReason
        switch decision {
        case .revalidate(_, let revalidation): reason = revalidation.reason
        case .forward(let why): reason = why
        case .useFresh, .useStale, .useWhileRevalidating, .gatewayTimeout:
            // The stored content was lost after the decision.
            guard outcome.status != nil || isFromOrigin else { return nil }
            reason = .miss
        }
        let isStored = outcome.mayKeep && isFromOrigin && request.cacheWrites != .none
        return LoadFacts(
            forward: reason, status: outcome.status, isStored: isStored, isCollapsed: outcome.isCollapsed)
    }

    /// Notes a response, and decides whether it may be kept.
    ///
    /// - Returns: The response with what selects it.
    func noted(_ origin: OriginResponse) -> OriginResponse {
        let isKept = origin.status == 304 || rules.entry(for: asked, origin.head) != nil
        outcome.withLock { ($0.status, $0.mayKeep) = (origin.status, isKept) }
        guard request.cacheKey != nil, origin.headers.contains(name: "Vary") else { return origin }
        var selected = origin
        selected.selectors = pipeline.selectors(of: origin, request)
        return selected
    }

    /// Whether what another load has just brought suits this one.
    func accepts(_ arrived: OriginResponse?) -> Bool {
        guard case .useFresh = pipeline.decide(asked, request, arrived) else { return false }
        outcome.withLock { $0.isCollapsed = true }
        return true
    }

    /// Notes the status of an answer that is an error.
    func noteFailure(_ status: Int?) { outcome.withLock { $0.status = status } }

    /// Whether a 304 confirms what is known. One that names other content confirms nothing.
    ///
    /// Content that the new fields forbid to keep is removed.
    func isConfirmed(_ known: OriginResponse, by answer: OriginResponse, _ load: Load<some Product>) async -> Bool {
        guard let stored = pipeline.stored(known, asked, request) else { return false }
        let now = HTTPDate(pipeline.now())
        let conditions = rules.revalidation(of: stored, for: asked, now: now)
        guard let change = rules.freshen([stored], by: answer.head, of: asked, after: conditions).changes.first
        else { return false }
        guard change.action != .replace else { return true }
        outcome.withLock { $0.mayKeep = false }
        if change.action == .remove { await load.forget() }
        return true
    }

    /// Whether what is stored stands in for an origin that has failed with this error.
    func standsIn(for error: any Error) -> Bool {
        guard let error = error as? ImageLoadError, let known, let stored = pipeline.stored(known, asked, request)
        else { return false }
        let failure: OriginFailure
        switch error.code {
        case .unacceptableStatus: failure = .status(error.status ?? 0)
        case .transferFailed, .queueTimedOut, .overloaded:
            // The others are this program's own limits and policies.
            guard [502, 503, 504].contains(error.suggestedHTTPStatus) else { return false }
            failure = .noResponse
        default: return false
        }
        return rules.standIn(on: failure, for: asked, stored: [stored], now: HTTPDate(pipeline.now())) != nil
    }
}

/// What happened at the origin during one load.
struct LoadFacts: Sendable, Hashable {
    /// Why the origin was asked.
    var forward: CacheDecision.ForwardReason
    /// The status with which it answered; `nil` for none.
    var status: Int?
    var isStored = false
    var isCollapsed = false

    /// The origin has confirmed the content because the request wanted that.
    static let confirmed = LoadFacts(forward: .request, status: 304)
}
