// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing

/// A folder of its own for each test, in which the built command runs as a process.
final class Workplace {
    let folder: URL
    var pictures: URL { folder.appending(path: "pictures") }
    var cache: URL { folder.appending(path: "cache") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fetch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Options that keep the command inside the folder, allow the loopback origin, and make its output readable.
    var options: [String] { ["--json", "--allow-private"] + folders }

    /// Options that keep the command inside the folder.
    var folders: [String] { ["--out", pictures.path, "--cache", cache.path] }

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - output: The standard output of the command; a file that ``RunningCommand/end()`` reads when `nil`.
    ///   - shell: A command line for `sh` that ends by running `"$0" "$@"`.
    func start(
        _ arguments: [String], input: String = "", output: FileHandle? = nil, shell: String? = nil
    ) throws -> RunningCommand {
        let process = Process()
        process.executableURL = URL(filePath: shell == nil ? Self.executable : "/bin/sh")
        process.arguments = shell.map { ["-c", $0, Self.executable] + arguments } ?? arguments
        process.currentDirectoryURL = folder
        process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"].merging(plantedBug) { $1 }
        try Data(input.utf8).write(to: folder.appending(path: "input"))
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "input"))
        let written = try ["output", "errors"].map { name in
            let file = folder.appending(path: name)
            try Data().write(to: file)
            return try FileHandle(forWritingTo: file)
        }
        process.standardOutput = output ?? written[0]
        process.standardError = written[1]
        return try RunningCommand(process, in: folder)
    }

    /// Runs the command to its end.
    func fetch(
        _ arguments: [String], input: String = "", output: FileHandle? = nil, shell: String? = nil
    ) async throws -> Finished {
        try await start(arguments, input: input, output: output, shell: shell).end()
    }

    /// The names in a folder, sorted; none when there is no such folder.
    func names(in folder: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    /// A picture that the command wrote.
    func picture(_ line: Finished.Line) throws -> DecodedImage {
        let data = try Data(contentsOf: URL(filePath: try required(line.file)))
        return try ImageCoders.default.decode(Array(data))
    }

    /// The command is in the folder of the program that runs the tests.
    private static let executable: String = {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appending(path: "fetch").path
    }()
}
