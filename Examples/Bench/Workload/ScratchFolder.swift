// SPDX-License-Identifier: MIT
import Foundation

/// A folder for the files of a row.
///
/// The code that makes it removes it.
struct ScratchFolder: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    func remove() { try? FileManager.default.removeItem(at: folder) }
}
