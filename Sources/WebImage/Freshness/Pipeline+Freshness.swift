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
        switch rules.storability(of: stored.head, to: asked) {
        case .allowed, .refused(.requestSaysNoStore), .refused(.cannotBeSelected): break
        case .refused: return nil
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
    /// The decoded picture that memory holds, if the rules let it answer the request without the origin.
    @inline(never) func freshInMemory(_ request: ImageRequest, _ name: CacheKey) -> ImageResponse? {
        guard request.cachePolicy == .http, let held = held(request, name), mayServe(held.origin, request, as: nil)
        else { return nil }
        return held
    }

    /// The file that memory holds, if the rules let it answer the request without the origin.
    @inline(never) func freshFileInMemory(
        _ request: ImageRequest, _ format: OutputFormat, _ name: CacheKey
    ) -> EncodedImage? {
        guard request.cachePolicy == .http, let held = heldFile(request, format, name),
            mayServe(held.origin, request, as: format)
        else { return nil }
        return held
    }

    private func mayServe(_ origin: OriginResponse?, _ request: ImageRequest, as format: OutputFormat?) -> Bool {
        guard let origin else { return false }
        switch decide(ruledRequest(request), request, origin) {
        case .useFresh, .useStale: return true
        case .useWhileRevalidating:
            refresh(request, as: format)
            return true
        case .revalidate, .forward, .gatewayTimeout: return false
        }
    }
}

// MARK: - Refreshes

extension Pipeline {
    /// Validates the original of a request, whichever caller stays. Does nothing while another refresh of it runs, and
    /// for a while after one has failed.
    ///
    /// - Parameter format: The file that is made of a changed original; `nil` for a picture.
    /// - Source: RFC 5861, section 3.
    func refresh(_ request: ImageRequest, as format: OutputFormat?) {
        let started = refreshes.start(.init(request), on: executor, now: now) { [weak self] in
            await self?.runRefresh(request, as: format) ?? false
        }
        if started { hub.tally.refreshes.add() }
    }

    /// - Returns: Whether the origin has failed.
    @concurrent private func runRefresh(_ request: ImageRequest, as format: OutputFormat?) async -> Bool {
        let key = LoadKey(request, variant: format.map { request.fileKey($0) } ?? request.variantKey)
        var conditional = request
        conditional.cachePolicy = .revalidate
        let load = OriginalLoad(LoadRuling(self, request, nil), conditional, key, in: nil)
        do {
            if let format {
                try await FileLoad(load: load, format: format).refresh()
            } else {
                try await PictureLoad(load: load).refresh()
            }
        } catch {
            guard (error as? ImageLoadError)?.isGone == true else { return !(error is CancellationError) }
            await load.forget()
        }
        return false
    }
}
