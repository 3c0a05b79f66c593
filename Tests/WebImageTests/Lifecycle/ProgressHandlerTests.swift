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

    @Test func `a handler runs in its caller's task`() async throws {
        let (manager, names) = (Self.manager(), Journal<String>())
        try await Tenant.$name.withValue("one") {
            _ = try await manager.encodedImage(for: .numbered(1)) { _ in names.write(Tenant.name) }
        }
        expectAll(names.count > 0, names.entries.allSatisfy { $0 == "one" })
        let parts = [(1, 4), (4, 4), (5, 4), (1, 0)].map { LoadProgress(receivedByteCount: $0, expectedByteCount: $1) }
        expectEqual(parts.map(\.fraction), [0.25, 1, 1, nil])
        await expect(manager.shutdown(within: .seconds(60)).isClean)
    }
}

private enum Tenant {
    @TaskLocal static var name = "none"
}
