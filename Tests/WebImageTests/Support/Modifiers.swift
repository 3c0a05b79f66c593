// SPDX-License-Identifier: MIT
import HTTPTransport
import WebImageTesting

@testable import WebImage

extension RequestModifier {
    /// Waits at a gate, also when it is cancelled.
    static func held(at gate: Gate) -> RequestModifier {
        RequestModifier(identity: "held") { request in
            await gate.pass()
            return request
        }
    }
}

/// A value that is set after the objects that need it are made.
final class Later<Value: Sendable>: Sendable {
    private let journal = Journal<Value>()

    func set(_ value: Value) { journal.write(value) }

    /// - Precondition: It has been set.
    var value: Value { journal.entries[0] }
}

extension ImageRequest {
    /// The picture with this seed, whose modifier runs `body` first.
    static func numbered(
        _ number: Int, modifiedBy body: @escaping @concurrent @Sendable () async throws -> Void
    ) -> ImageRequest {
        var request = ImageRequest.numbered(number)
        request.modifier = RequestModifier(identity: "modifier") { plain in
            try await body()
            return plain
        }
        return request
    }
}
