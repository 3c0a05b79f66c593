// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// The callers with their pictures and priorities, and the callers that leave: all of it drawn from the seed.
struct Plan: Sendable {
    struct Caller: Sendable {
        let picture: Int
        let priority: ImagePriority
        let leaves: Bool
    }

    static let slots = 2
    static let pictures = 10

    let seed: UInt64
    let callers: [Caller]

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        // The highest priority of each picture: some pictures have no urgent caller.
        let ceilings = (0..<Self.pictures).map { _ in Int.random(in: 0..<5, using: &random) }
        callers = (0..<1_000).map { number in
            let picture = number % Self.pictures
            let priority = ImagePriority(rawValue: Int.random(in: 0...ceilings[picture], using: &random)) ?? .normal
            return Caller(picture: picture, priority: priority, leaves: Int.random(in: 0..<3, using: &random) == 0)
        }
    }

    /// Serves the pictures, and one more for each slot to keep it busy; each response waits at a gate.
    func serve(from origin: OriginServer) throws -> [OriginGate] {
        try (0..<Self.pictures + Self.slots).map { picture in
            let gate = OriginGate()
            let bytes = try ImageFactory.encoded(width: 64, height: 64, seed: picture)
            origin.respond(to: Self.path(picture), with: .ok(bytes, type: "image/jpeg").held(at: gate))
            return gate
        }
    }

    static func path(_ picture: Int) -> String { "/\(picture).jpg" }

    /// The highest priority of all callers of the picture, including those that leave: a priority never falls.
    func urgency(of picture: Int) -> ImagePriority {
        callers.filter { $0.picture == picture }.map(\.priority).max() ?? .normal
    }
}
