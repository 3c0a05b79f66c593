// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import HTTPTransport
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Handling errors", word for word, and its tables.
@Suite(.timeLimit(.minutes(1))) struct ErrorDocumentationTests {
    @Test func `errors by code, cause and advice`() async throws {
        try await Example.withPhoto { configuration, _, origin in
            origin.respond(to: "/page.jpg", with: .ok(Array("<html>".utf8), type: "text/html"))
            var lines: [String] = []
            try await withImageManager(configuration) { manager in
                for path in ["/missing.jpg", "/page.jpg"] {
                    let request = ImageRequest(origin.url(path))
                    do {
                        _ = try await manager.image(for: request)
                    } catch is CancellationError {
                        throw CancellationError()
                    } catch let error as ImageLoadError {
                        switch error.code {
                        case .unacceptableStatus:
                            lines.append("the origin said \(error.status ?? 0)")
                        case .undecodable: lines.append("no picture: \(error.message)")
                        default: lines.append("\(error.reason), retry: \(error.isRetryable)")
                        }
                    }
                }
            }
            #expect(lines.first == "the origin said 404")
            #expect(lines.last?.hasPrefix("no picture: ") == true)
        }
    }

    @Test func `the cause tells a refused address from a lost connection`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var configuration = configuration
            configuration.transport.addressPolicy = .publicInternet
            var isForbidden = false
            try await withImageManager(configuration) { manager in
                do {
                    _ = try await manager.image(from: url)
                } catch let error as ImageLoadError {
                    if let cause = error.cause as? TransportError,
                        cause.code == .addressNotAllowed
                    {
                        isForbidden = true
                    }
                }
            }
            expect(isForbidden)
        }
    }

    @Test func `a remembered failure is tried again on request`() async throws {
        try await Example.withPhoto { configuration, _, origin in
            var configuration = configuration
            configuration.failureLifetime = .seconds(30)
            let url = origin.url("/late.jpg")
            let image = try await withImageManager(configuration) { manager in
                await #expect(throws: ImageLoadError.self) { try await manager.image(from: url) }
                origin.respond(to: "/late.jpg", with: .ok(try Example.photo.get(), type: "image/jpeg"))

                var request = ImageRequest(url)
                request.retriesFailed = true
                return try await manager.image(for: request)
            }
            #expect(image.width == 400)
        }
    }

    @Test func `transfers are tried again by a loader`() async throws {
        try await Example.withPhoto { configuration, _, origin in
            let url = origin.url("/busy.jpg")
            origin.respond(
                to: "/busy.jpg", inTurn: .status(503), .ok(try Example.photo.get(), type: "image/jpeg"))

            var configuration = configuration
            var rules = TransferRules()
            rules.retries?.maximumAttempts = 5
            rules.retries?.firstDelay = .milliseconds(100)
            configuration.transferRules = rules
            let manager = ImageManager(configuration: configuration)
            let image = try await manager.image(from: url)

            var request = ImageRequest(url)
            request.retry = LoadRetry { failure in
                guard failure.attemptCount < 4 else { return nil }
                return failure.error.code == .undecodable ? .seconds(2) : nil
            }
            try await expectEqual(manager.image(for: request).width, 400)
            await expect(manager.shutdown(within: .seconds(10)).isClean)
            #expect(image.width == 400)
        }
    }

    /// The table of the guide, row by row.
    @Test func `the statuses of the guide are those of the code`() throws {
        let guide = try String(contentsOf: Self.article, encoding: .utf8)
        let rows = guide.split(separator: "\n").filter { $0.hasPrefix("| ``ImageLoadError/Code/") }
        let codes: [ImageLoadError.Code] = [
            .transferFailed, .unacceptableStatus, .unacceptableContentType, .emptyBody, .undecodable, .processingFailed,
            .notInCache, .recentlyFailed, .queueTimedOut, .overloaded, .reentrant, .hookFailed, .refused, .shutDown,
        ]
        #expect(rows.count == codes.count)
        for (row, code) in zip(rows, codes) {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells.first == "``ImageLoadError/Code/\(code)``")
            let error = ImageLoadError(code: code, message: "")
            if let status = cells.last.flatMap({ Int($0.prefix { $0 != "," }) }) {
                #expect(status == error.suggestedHTTPStatus, "\(code)")
                #expect(error.isRetryable == (cells.last?.hasSuffix("retry") == true), "\(code)")
            }
        }
    }

    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/WebImage/WebImage.docc/HandlingErrors.md")
}
