// SPDX-License-Identifier: MIT
import Foundation

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "loader-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }
}
