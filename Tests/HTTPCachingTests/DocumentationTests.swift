// SPDX-License-Identifier: MIT
import HTTPTransport
import Testing

@testable import HTTPCaching

/// The example in the module's documentation, word for word.
struct DocumentationTests {
    @Test(arguments: [(0, "use"), (60, "use, refresh"), (70, "send"), (-1, "send")])
    func `a cache asks the rules`(seconds: Int, expected: String) {
        var steps: [String] = []
        func use(_ selection: Selection) { steps.append("use") }
        func refresh(_ request: HTTPRequest) { steps.append("refresh") }
        func send(_ request: HTTPRequest) { steps.append("send") }
        func fail() { steps.append("fail") }
        let request = request()
        let control = seconds < 0 ? "no-store" : "max-age=60, stale-while-revalidate=9"
        let response = head("ETag: \"a\" | Cache-Control: " + control)
        let now = arrival.advanced(by: seconds)

        let rules = HTTPCacheRules.private
        let entry = rules.entry(for: request, response)

        switch rules.decide(request, stored: entry, now: now) {
        case .useFresh(let selection), .useStale(let selection): use(selection)
        case .useWhileRevalidating(let selection, let revalidation):
            use(selection)
            refresh(revalidation.request(for: request))
        case .revalidate(_, let revalidation):
            send(revalidation.request(for: request))
        case .forward: send(request)
        case .gatewayTimeout: fail()
        }

        #expect(steps.joined(separator: ", ") == expected)
    }
}
