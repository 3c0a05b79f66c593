// SPDX-License-Identifier: MIT
import HTTPLoaders
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.timeLimit(.minutes(1))) struct TransferRulesOfManagerTests {
    @Test func `a manager puts its rules around its transport`() async throws {
        let stub = StubLoader()
        stub.respond(to: "/1.png", with: .status(503), .ok(try Pictures.png(1)))
        var rules = TransferRules()
        rules.retries?.firstDelay = .zero
        var configuration = ImageManager.Configuration.unchanged
        configuration.disk = nil
        configuration.transferRules = rules
        let manager = ImageManager(configuration: configuration, transport: stub)
        expectEqual(ImageFactory.seed(of: try await manager.image(for: .numbered(1))), 1)
        expectEqual(stub.requestCount, 2)
        _ = await manager.shutdown(within: .seconds(1))
        expect(stub.isShutDown)
    }
}
