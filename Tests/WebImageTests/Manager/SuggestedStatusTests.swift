// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import Testing

@testable import WebImage

/// What a server tells its own client about a load that failed.
@Suite struct SuggestedStatusTests {
    private static func http(_ code: HTTPError.Code) -> HTTPError { HTTPError(code: code, message: "x") }
    private static func image(_ code: ImageError.Code) -> ImageError { ImageError(code: code, message: "x") }

    private static func error(
        _ code: ImageLoadError.Code, status: Int? = nil, cause: (any Error)? = nil
    ) -> ImageLoadError { ImageLoadError(code: code, message: "x", status: status, cause: cause) }

    static let cases: [(error: ImageLoadError, status: Int, isRetryable: Bool)] = [
        (error(.unacceptableStatus, status: 404), 404, false), (error(.unacceptableStatus, status: 410), 404, false),
        (error(.unacceptableStatus, status: 401), 403, false), (error(.unacceptableStatus, status: 429), 429, true),
        (error(.unacceptableStatus, status: 500), 502, true), (error(.unacceptableStatus, status: 503), 503, true),
        (error(.unacceptableStatus, status: 504), 504, true), (error(.unacceptableStatus), 502, true),
        (error(.unacceptableContentType, status: 200), 415, false), (error(.emptyBody, status: 200), 502, true),
        (error(.notInCache), 404, false), (error(.refused), 403, false), (error(.overloaded), 503, true),
        (error(.queueTimedOut), 503, true), (error(.shutDown), 503, true), (error(.hookFailed), 500, false),
        (error(.transferFailed, cause: http(.timedOut)), 504, true),
        (error(.transferFailed, cause: http(.addressNotAllowed)), 403, false),
        (error(.transferFailed, status: 200, cause: http(.bodyTooLarge)), 413, false),
        (error(.transferFailed, cause: http(.unsupportedURL)), 400, false),
        (error(.transferFailed, cause: http(.connectionLost)), 502, true),
        (error(.undecodable, cause: image(.unknownFormat)), 415, false),
        (error(.undecodable, cause: image(.tooLarge)), 413, false),
        (error(.undecodable, cause: image(.truncated)), 422, false), (error(.undecodable), 422, false),
        (error(.processingFailed, cause: image(.invalidRequest)), 400, false),
        (error(.unacceptableStatus, status: 404).repeated(), 404, false),
    ]

    @Test func `every failure has a status for the client of a server`() {
        for (error, status, isRetryable) in Self.cases {
            #expect(error.suggestedHTTPStatus == status, "\(error)")
            #expect(error.isRetryable == isRetryable, "\(error)")
        }
    }
}
