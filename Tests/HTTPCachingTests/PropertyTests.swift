// SPDX-License-Identifier: MIT
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPCaching

/// What holds for every response and request, under drawn fields.
struct PropertyTests {
    private static func use(_ decision: CacheDecision) -> Selection? {
        switch decision {
        case .useFresh(let selection), .useStale(let selection), .useWhileRevalidating(let selection, _): selection
        case .revalidate, .forward, .gatewayTimeout: nil
        }
    }

    /// Draws 5 rounds for one seed.
    private func rounds(_ seed: UInt64, _ body: (inout RandomFields) throws -> Void) rethrows {
        var draw = RandomFields(SeededGenerator(seed: seed))
        for _ in 0..<5 { try body(&draw) }
    }

    @Test(arguments: Seeds.first(100)) func `a private response is neither kept nor used in the shared scope`(
        seed: UInt64
    ) {
        rounds(seed) { draw in
            let rules = HTTPCacheRules.shared
            var head = draw.head()
            head.headers.append(name: "Cache-Control", value: draw.oneOf(["private", "a, private", "private=\"\""]))
            head.headers["CDN-Cache-Control"] = nil
            let request = draw.request()
            expectNil(rules.entry(for: request, head))
            let selectors = rules.selectors(for: request.headers, in: head.headers) ?? [:]
            let entry = StoredResponse(head: head, selectors: selectors)
            let now = arrival.advanced(by: draw.number(0...400))
            expectNil(Self.use(rules.decide(request, stored: entry, now: now)))
            expectNil(rules.standIn(on: .noResponse, for: request, stored: [entry], now: now))
        }
    }

    @Test(arguments: Seeds.first(100)) func `what is kept for a credential says that it may be shared`(seed: UInt64) {
        rounds(seed) { draw in
            var request = draw.request()
            request.headers["Authorization"] = "Basic YTpi"
            let head = draw.head()
            guard let entry = HTTPCacheRules.shared.entry(for: request, head) else { return }
            let control = HTTPCacheRules.shared.directives(of: head.headers)
            expect(control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil)
            expect(!entry.selectors.values.contains { $0.contains("YTpi") || $0.contains("secret") })
        }
    }

    @Test(arguments: Seeds.first(100)) func `what is kept is used, validated or replaced for the same request`(
        seed: UInt64
    ) {
        rounds(seed) { draw in
            let (rules, request) = (draw.rules(), draw.request())
            guard let entry = rules.entry(for: request, draw.head()), request.method == "GET" else { return }
            expect(rules.matches(entry, request.headers))
            let now = arrival.advanced(by: draw.number(0...400))
            let decision = rules.decide(request, stored: entry, now: now)
            expectAll(decision != .forward(.varyMiss), decision != .forward(.uriMiss))
            if case .revalidate(_, let revalidation) = decision {
                expect(!revalidation.fields.isEmpty)
                expect(revalidation.fields.allSatisfy { !$0.value.isEmpty })
            }
        }
    }
}
