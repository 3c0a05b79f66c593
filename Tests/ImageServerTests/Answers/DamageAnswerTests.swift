// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import ImageServer

/// What becomes of originals that are cut off.
@Suite(.timeLimit(.minutes(10)))
struct DamageAnswerTests {
    @Test(arguments: [
        (DamagePolicy.truncated, 422, 200), (.anyDamage, 422, 422), (.never, 200, 200),
    ])
    func `an answer says what is wrong with its original, or is refused for it`(
        failOn: DamagePolicy, half: Int, end: Int
    ) async throws {
        let file = try Pictures.file(as: .jpeg())
        try await World.run {
            $0.failOn = failOn
        } _: { world async throws in
            world.origin.respond(to: "/half.jpg", with: .ok(Array(file.prefix(file.count * 2 / 3)), type: "image/jpeg"))
            world.origin.respond(to: "/end.jpg", with: .ok(Array(file.dropLast(2)), type: "image/jpeg"))
            for (path, status, damage) in [
                ("/half.jpg", half, "missing-end, missing-pixels"), ("/end.jpg", end, "missing-end"),
                ("/a.png", 200, nil),
            ] {
                for options in ["w16", "original"] {
                    for _ in 0..<2 {
                        let answer = try await world.get(world.path(options, of: path))
                        expectEqual(answer.status, status, "\(path) \(options)")
                        expectEqual(answer.headers["Image-Damage"], status == 200 ? damage : nil, "\(path) \(options)")
                    }
                }
            }
        }
    }

    @Test func `the words of the option are those of the library`() throws {
        for (word, policy) in [("never", DamagePolicy.never), ("truncated", .truncated), ("any-damage", .anyDamage)] {
            var words = ["--fail-on", word]
            try expectEqual(Settings(parsing: &words, environment: [:]).failOn, policy)
        }
        var wrong = ["--fail-on", "always"]
        expectError(SettingsError.self) { try Settings(parsing: &wrong, environment: [:]) }
    }
}
