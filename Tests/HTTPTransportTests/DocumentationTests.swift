// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import Testing
import WebImageTesting

@testable import HTTPTransport

/// The example in the module's documentation, word for word.
@Suite(.timeLimit(.minutes(1))) struct DocumentationTests {
    @Test func `a body arrives chunk by chunk`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/photo.jpg", with: .ok([1, 2, 3], type: "image/jpeg"))
            let url = origin.url("/photo.jpg")
            var count = 0

            var configuration = HTTPClient.Configuration()
            configuration.maximumBodyByteCount = 10_000_000
            configuration.addressPolicy = .publicInternet(allowing: IPNetwork.loopback)
            let client = HTTPClient(configuration: configuration)

            let response = try await client.send(HTTPRequest(url: url))
            for try await chunk in response.body { count += chunk.count }
            await client.shutdown()

            #expect(response.status == 200)
            #expect(count == 3)
        }
    }

    @Test func `a loader around loaders sends JSON and reads JSON`() async throws {
        try await withOriginServer { origin in
            origin.respondToEverything { .ok($0.body, type: "application/json") }
            let url = origin.url("/")
            let configuration = HTTPClient.Configuration.loopback

            let client = HTTPClient(configuration: configuration)
            let loader = ResumingLoader(RetryingLoader(CircuitBreakingLoader(client)))

            var request = try HTTPRequest(url: url, json: ["name": "Ada"])
            request.options.credential = .bearer("token")
            request.options.totalTimeout = .seconds(300)
            let names = try await loader.value(
                for: request, as: .json([String: String].self))

            #expect(names == ["name": "Ada"])
            #expect(origin.requests.first?.headers["Authorization"] == "Bearer token")
            await loader.shutdown()
        }
    }

    @Test func `a transfer comes after another and tells its state`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/list", with: .ok([1]))
            origin.respond(to: "/picture", with: .ok([2, 3]))
            let (listURL, pictureURL) = (origin.url("/list"), origin.url("/picture"))
            let client = HTTPClient(configuration: .loopback)
            var progress = 0.0

            let queue = HTTPTransferQueue(ResumingLoader(client), width: 4)
            let list = queue.add(HTTPRequest(url: listURL))
            let picture = queue.add(HTTPRequest(url: pictureURL), after: [list])
            for await state in picture.states {
                if case .receiving(let count, let expected?) = state {
                    progress = Double(count) / Double(expected)
                }
            }
            let bytes = try await picture.response().bytes

            #expect(bytes == [2, 3] && (0...1).contains(progress))
            #expect(origin.requests.map(\.target) == ["/list", "/picture"])
            await client.shutdown()
        }
    }
}
