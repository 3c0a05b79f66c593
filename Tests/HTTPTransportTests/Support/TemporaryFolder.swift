// SPDX-License-Identifier: MIT
import Foundation

/// A folder that is removed with its last reference.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "loader-\(UUID().uuidString)")

    /// The paths of what the process has open below the folder, and of the folder.
    var openDescriptors: [String] {
        let (files, open) = (FileManager.default, "/proc/self/fd/")
        let numbers = (try? files.contentsOfDirectory(atPath: open)) ?? []
        return numbers.compactMap { try? files.destinationOfSymbolicLink(atPath: open + $0) }
            .filter { $0.contains(url.lastPathComponent) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
