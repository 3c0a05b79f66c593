// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Handlers of progress on real threads.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ProgressHandlerTests {
    private static func manager(_ answer: @escaping StubTransport.Answer = HTTPResponse.picture) -> ImageManager {
        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        return ImageManager(configuration: configuration, transport: StubTransport(answer))
    }

    @Test func `reports come in order in the caller's task, the last one before the call returns`() async throws {
        let bytes = try ImageFactory.encoded(width: 64, height: 64, seed: 1, as: .png)
        let manager = Self.manager { request in
            let pieces = stride(from: 0, to: bytes.count, by: 10).map {
                Array(bytes[$0..<min($0 + 10, bytes.count)])
            }
            return HTTPResponse(status: 200, url: request.url, body: HTTPBody(pieces))
        }
        for round in 0..<50 {
            let counts = Journal<Int>()
            var request = ImageRequest.numbered(1)
            request.cachePolicy = .reload
            if round.isMultiple(of: 2) {
                _ = try await manager.encodedImage(for: request) { counts.write($0.receivedByteCount) }
            } else {
                _ = try await manager.downloader.download(request) { counts.write($0.receivedByteCount) }
            }
            let told = counts.entries
            expectEqual(told, told.sorted())
            expectEqual(told.last, bytes.count)
        }
        await expect(manager.shutdown(within: .seconds(60)).isClean)

        // A handler runs in its caller's task.
        do {
            let (manager, names) = (Self.manager(), Journal<String>())
            try await Tenant.$name.withValue("one") {
                _ = try await manager.encodedImage(for: .numbered(1)) { _ in names.write(Tenant.name) }
            }
            expectAll(names.count > 0, names.entries.allSatisfy { $0 == "one" })
            await expect(manager.shutdown(within: .seconds(60)).isClean)
        }
    }
}

private enum Tenant {
    @TaskLocal static var name = "none"
}
