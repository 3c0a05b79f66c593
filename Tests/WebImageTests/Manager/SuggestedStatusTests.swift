// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

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
        (error(.unacceptableStatus, status: 403), 403, false),
        (error(.unacceptableStatus, status: 404, cause: http(.timedOut)), 404, false),
        (error(.transferFailed, cause: http(.compressionRatioExceeded)), 413, false),
        (error(.transferFailed, cause: http(.redirectNotAllowed)), 403, false),
        (error(.transferFailed, cause: http(.circuitOpen)), 503, true),
        (error(.undecodable, cause: image(.workLimitExceeded)), 413, false),
        (error(.undecodable, cause: image(.memoryLimitExceeded)), 413, false),
        (error(.undecodable, cause: image(.outOfMemory)), 503, true),
        (error(.undecodable, cause: image(.unsupportedFormat)), 415, false),
        (error(.transferFailed, cause: http(.timedOut)).repeated(), 504, true),
    ]

    @Test func `every failure has a status for the client of a server`() {
        for (error, status, isRetryable) in Self.cases {
            expectEqual(error.suggestedHTTPStatus, status, "\(error)")
            expectEqual(error.isRetryable, isRetryable, "\(error)")
        }
    }

    private static let codes: [ImageLoadError.Code] = [
        .transferFailed, .unacceptableStatus, .unacceptableContentType, .emptyBody, .undecodable, .processingFailed,
        .notInCache, .recentlyFailed, .queueTimedOut, .overloaded, .reentrant, .hookFailed, .refused, .shutDown,
    ]
    private static let transferCodes: [HTTPError.Code] = [
        .invalidRequest, .unsupportedURL, .fileNotAllowed, .addressNotAllowed, .cannotResolveHost, .cannotConnect,
        .tooManyOpenFiles, .connectionLost, .truncatedBody, .timedOut, .tlsFailed, .certificateNotTrusted,
        .certificateExpired, .certificateHostMismatch, .certificatePinMismatch, .contentFailed, .invalidResponse,
        .headersTooLarge, .bodyTooLarge, .compressionRatioExceeded, .tooManyRedirects, .redirectNotAllowed,
        .unacceptableStatus, .unacceptableContentType, .undecodableBody, .proxyAuthenticationRequired, .proxyRefused,
        .overloaded, .circuitOpen, .bodyInUse, .shutDown, .transferFailed,
    ]
    private static let imageCodes: [ImageError.Code] = [
        .truncated, .malformed, .unknownFormat, .unsupportedFormat, .tooLarge, .memoryLimitExceeded,
        .workLimitExceeded, .invalidRequest, .outOfMemory,
    ]

    @Test func `a summary has no advice, through every layer, and a message has both`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            origin.respond(to: "/a.svg", with: .ok(Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)))
            var refusing = configuration
            refusing.transport.addressPolicy = .publicInternet
            for (configuration, url, summary, advice) in [
                (refusing, url, "loopback", "address policy"),
                (configuration, origin.url("/a.svg"), "no decoder for svg", "ImageCoders.decoders"),
            ] {
                let errors = try await withImageManager(configuration) { manager in
                    var errors: [ImageLoadError] = []
                    for _ in 0..<2 {
                        do { _ = try await manager.image(from: url) } catch let error as ImageLoadError {
                            errors += [error, error.repeated()]
                        }
                    }
                    return errors
                }
                expectEqual(errors.count, 4)
                for error in errors {
                    expectAll(
                        error.summary.contains(summary), !error.summary.contains(advice),
                        error.advice?.contains(advice) == true)
                    expectEqual(error.message, "\(error.summary) \(error.advice ?? "")")
                }
            }
        }
    }

    @Test func `the client of a server learns one text for each status, whatever the operator is told`() {
        let secret = "10.0.0.1 is a private address; allow its network in `addressPolicy` (libcurl: 7)"
        let causes: [(any Error)?] =
            [nil] + Self.transferCodes.map { HTTPError(code: $0, message: secret) }
            + Self.imageCodes.map { ImageError(code: $0, message: secret) }
        var texts: [Int: Set<String>] = [:]
        for (code, cause) in Self.codes.flatMap({ code in causes.map { (code, $0) } }) {
            for status in [nil, 200, 401, 404, 410, 429, 500, 503, 504] {
                let error = ImageLoadError(
                    code: code, message: secret, url: URL(string: "http://10.0.0.1/"), status: status, cause: cause)
                for error in [error, error.repeated()] {
                    texts[error.suggestedHTTPStatus, default: []].insert(error.publicMessage)
                }
            }
        }
        expectEqual(texts.keys.sorted(), [400, 403, 404, 413, 415, 422, 429, 500, 502, 503, 504])
        expectEqual(Set(texts.values).count, texts.count)
        for (status, found) in texts {
            expectEqual(found.count, 1, "\(status)")
            expect(found.allSatisfy { !$0.contains("10.0.0.1") && $0.hasSuffix(".") && $0.count > 20 })
        }
    }
}
