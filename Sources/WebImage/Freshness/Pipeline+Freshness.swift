// SPDX-License-Identifier: MIT
import HTTPCaching
import HTTPTransport
import Synchronization

/// HTTP's rules for requests with ``CachePolicy/http``. Other requests do not come here.
extension Pipeline {
    /// The request as the rules see it.
    func ruledRequest(_ request: ImageRequest) -> HTTPRequest {
        var headers = request.headers.merged(over: downloader.headers)
        // A modifier may sign the request. What it adds is not known here, so the response counts as one to a request
        // with a credential.
        if request.modifier != nil, headers["Authorization"] == nil { headers["Authorization"] = "modified" }
        return HTTPRequest(
            url: request.url, method: request.method, headers: headers, body: nil,
            options: request.parts?.value.transfer)
    }

    /// What to do with a request.
    ///
    /// - Parameter known: What the origin has said about the stored original, if there is one.
    func decide(_ asked: HTTPRequest, _ request: ImageRequest, _ known: OriginResponse?) -> CacheDecision {
        configuration.cacheRules.decide(
            asked, stored: known.flatMap { stored($0, asked, request) }, now: HTTPDate(now()))
    }

    /// A stored response as the rules know it; `nil` for one that another policy has kept and the rules forbid to keep,
    /// or whose selectors are not known.
    func stored(_ origin: OriginResponse, _ asked: HTTPRequest, _ request: ImageRequest) -> StoredResponse? {
        let rules = configuration.cacheRules
        var stored = origin.stored
        switch rules.refusal(of: stored.head, to: asked) {
        case nil, .requestSaysNoStore, .cannotBeSelected: break
        default: return nil
        }
        if let selectors = origin.selectors {
            stored.selectors = selectors
        } else if request.cacheKey == nil {
            // The fields of the request are part of its key.
            guard let selectors = rules.selectors(for: asked.headers, in: origin.headers) else { return nil }
            stored.selectors = selectors
        }
        return stored
    }

    /// The values of the request's fields that a response varies by, to be kept with it. A field that may not join a
    /// key makes them such that no request matches.
    func selectors(of origin: OriginResponse?, _ request: ImageRequest) -> [String: String] {
        guard let origin, origin.headers.contains(name: "Vary") else { return [:] }
        let rules = configuration.cacheRules
        return rules.selectors(for: ruledRequest(request).headers, in: origin.headers) ?? ["*": "*"]
    }

    /// How long a missing picture is remembered; `nil` for other errors.
    ///
    /// - Source: RFC 9110, sections 15.5.5 and 15.5.11.
    func negativeLifetime(of error: ImageLoadError, _ request: ImageRequest) -> Duration? {
        guard let origin = error.origin else { return nil }
        let rules = configuration.cacheRules
        guard let entry = rules.entry(for: ruledRequest(request), origin.head) else { return .zero }
        let left = rules.lifetime(of: entry).seconds - entry.age(at: HTTPDate(now()))
        return .seconds(min(max(0, left), 86_400))
    }
}

// MARK: - Memory

extension Pipeline {
    /// What memory holds, if the rules let it answer the request without the origin.
    @inline(never) func freshInMemory<P: Product>(
        _ request: ImageRequest, _ product: P, _ name: CacheKey
    ) -> P.Value? {
        guard request.cachePolicy == .http, let held = held(request, product, name), let origin = held.origin
        else { return nil }
        switch decide(ruledRequest(request), request, origin) {
        case .useFresh, .useStale: return held
        case .useWhileRevalidating:
            refresh(request, product)
            return held
        case .revalidate, .forward, .gatewayTimeout: return nil
        }
    }
}

// MARK: - Refreshes

extension Pipeline {
    /// Validates the original of a request, whichever caller stays. Does nothing while another refresh of it runs, and
    /// for a while after one has failed.
    ///
    /// - Parameter product: What is made of a changed original.
    /// - Source: RFC 5861, section 3.
    func refresh(_ request: ImageRequest, _ product: some Product) {
        let started = refreshes.start(.init(request), on: executor, now: now) { [weak self] in
            await self?.runRefresh(request, product) ?? false
        }
        if started { hub.tally.refreshes.add() }
    }

    /// - Returns: Whether the origin has failed.
    @concurrent private func runRefresh(_ request: ImageRequest, _ product: some Product) async -> Bool {
        var conditional = request
        conditional.cachePolicy = .revalidate
        let key = LoadKey(request, variant: product.name(for: request))
        let load = Load(product, LoadRuling(self, request, nil), conditional, key, in: nil)
        do {
            try await load.refresh()
        } catch {
            guard (error as? ImageLoadError)?.isGone == true else { return !(error is CancellationError) }
            await load.forget()
        }
        return false
    }
}
