// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What an origin that changes and fails may hide of what is stored: nothing, by policies that do not ask HTTP's rules.
@Suite(.balanced, .timeLimit(.minutes(1))) struct StoredPictureWalkTests {
    @Test(arguments: fewerSeeds) func `no failure of the origin hides a picture that is stored`(seed: UInt64) throws {
        let hasDisk = seed % 3 > 0
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed, hasDisk: hasDisk)
        var random = SeededGenerator(seed: seed)
        var origin = ChangingOrigin.State(fields: ["Cache-Control": "max-age=60"])
        var stored: Int?
        func version(_ policy: CachePolicy, small: Bool = false) -> Int? {
            let loaded = try? stage.load(HTTPStage.request(small: small) { $0.cachePolicy = policy })?.get()
            return loaded.flatMap { $0.image.width == 4 ? stored : ImageFactory.seed(of: $0.image) }
        }
        for turn in 1...30 {
            switch Int.random(in: 0..<7, using: &random) {
            case 0: origin.version = turn
            case 1: (origin.status, origin.failure) = (200, nil)
            case 2: origin.status = [404, 410, 500, 503].randomElement(using: &random)!
            case 3: origin.failure = [.cannotConnect, .timedOut, .addressNotAllowed].randomElement(using: &random)!
            case 4 where hasDisk: stage.staged.emptyMemory()
            case 5: stage.pass(30)
            default: stage.staged.manager.forgetFailures()
            }
            stage.origin.set { [origin] in $0 = origin }
            let policy = [CachePolicy.cacheFirst, .revalidate, .reload].randomElement(using: &random)!
            if let loaded = version(policy) {
                expect(loaded == origin.version || (policy == .cacheFirst && loaded == stored), "turn \(turn)")
                stored = loaded
            }
            expect(version(.onlyIfCached) == stored && version(.onlyIfCached, small: true) == stored, "turn \(turn)")
            if stored != nil { expectEqual(version(.cacheFirst), stored, "turn \(turn)") }
        }
    }
}
