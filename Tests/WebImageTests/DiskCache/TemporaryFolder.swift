// SPDX-License-Identifier: MIT
import Foundation

@testable import WebImage

/// A folder for one test, removed with its contents when the test releases it.
final class TemporaryFolder: Sendable {
    let path: String

    /// - Parameter isInMemory: Whether the folder is made in memory if the system has such a place, for the hundreds of
    ///   small caches of a seeded test.
    init(isInMemory: Bool = false) throws {
        let memory = "/dev/shm"
        let parent =
            isInMemory && FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = parent + "/disk-cache-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Removes the contents, for the next step of a test.
    func empty() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The entries' files, by their path inside the folder.
    var entryFiles: [String: Int] {
        var sizes: [String: Int] = [:]
        let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
        for name in names where KeyDigest(fileName: (name as NSString).lastPathComponent) != nil {
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
            sizes[name] = attributes?[.size] as? Int
        }
        return sizes
    }

    /// The true sum of the sizes of the entries' files.
    var entryBytes: Int { entryFiles.values.reduce(0, +) }

    /// The files in the folder of unfinished files.
    var unfinishedFiles: [String] { unfinishedFiles(in: "") }

    /// The files in the folder of unfinished files of a cache further down.
    func unfinishedFiles(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path + folder + "/tmp")) ?? []
    }

    /// The descriptors of this process that are open on something in the folder, and those on the account of a cache
    /// there, which keeps it open.
    var descriptors: (open: [String], account: [String]) {
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let all = numbers.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        let account = path + "/account"
        return (all.filter { $0.hasPrefix(path) && !$0.hasPrefix(account) }, all.filter { $0.hasPrefix(account) })
    }

    var openDescriptors: [String] { descriptors.open }
    var accountDescriptors: [String] { descriptors.account }

    /// Makes the folders of entries that a cache makes as it stores.
    func makeEntryFolders() throws {
        for name in EntryFiles.entryFolders {
            try FileManager.default.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        }
    }

    func read(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: name))) }

    func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: URL(fileURLWithPath: name)) }
}

/// An entry whose bytes follow from a number.
func sampleEntry(_ number: Int = 1, size: Int = 100) -> DiskEntry {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
    let metadata = EntryMetadata(
        url: "https://images.example/\(number).png", contentType: "image/png", format: "png", pixelWidth: 3,
        pixelHeight: 4, frameCount: 1, httpStatus: 200, etag: "\"\(number)\"", lastModified: "yesterday",
        responseDate: 1_000, generation: ContentGeneration(of: bytes), expiresAt: 2_000,
        varySelectors: ["accept": "image/*"], attributes: ["note": "ünder"])
    return DiskEntry(metadata: metadata, bytes: bytes)
}
