// SPDX-License-Identifier: MIT
import Foundation

/// A small file system in memory, for as long as a test needs it.
final class Mount {
    private let folder: URL
    private var isEnded = false

    /// Whether this process may mount; root in a container often may not.
    static let isPossible: Bool = {
        guard getuid() == 0, let workplace = try? Workplace() else { return false }
        return (try? Mount("size=4k", on: workplace.folder)) != nil
    }()

    init(_ options: String, on folder: URL) throws {
        self.folder = folder
        try Self.run("/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder.path])
    }

    deinit { end() }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        try? Self.run("/bin/umount", [folder.path])
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.featureUnsupported) }
    }
}
