// SPDX-License-Identifier: MIT
import Locks

@testable import WebImage

/// The warnings of a cache.
final class WarningLog: Sendable {
    private let errors = Mutex<[CacheError]>([])

    var codes: [CacheError.Code] { errors.withLock { $0.map(\.code) } }

    var messages: [String] { errors.withLock { $0.map(\.message) } }

    func append(_ error: CacheError) { errors.withLock { $0.append(error) } }
}
