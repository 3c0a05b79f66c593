// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

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

/// Folders of disk caches that have been used: the 256 folders of entries are there. A miss in a missing folder is
/// cheaper than what users have.
final class UsedFolders: Sendable {
    private let scratch: ScratchFolder
    private let count: Int
    private let taken = Atomic(1)

    /// - Parameter count: How many, with the first.
    init(count: Int) throws {
        scratch = try ScratchFolder()
        self.count = count
        for number in 0..<count {
            for part in 0..<256 {
                let name = (part < 16 ? "0" : "") + String(part, radix: 16)
                try FileManager.default.createDirectory(
                    atPath: scratch.path("\(number)/\(name)"), withIntermediateDirectories: true)
            }
        }
    }

    /// One that nothing is stored in.
    var first: String { scratch.path("0") }

    /// One that nothing was stored in yet.
    func next() throws -> String {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < count else { throw Failure("too few folders are made") }
        return scratch.path("\(number)")
    }

    func remove() { scratch.remove() }
}
