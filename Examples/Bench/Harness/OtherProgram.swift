// SPDX-License-Identifier: MIT
import Foundation

/// A program of others that does the same work, if it is installed.
struct OtherProgram {
    let executable: String
    let arguments: [String]
    private let folder: ScratchFolder

    /// `vipsthumbnail` on a file, with its result as plain pixels.
    ///
    /// - Returns: `nil` when it is not installed.
    static func vipsthumbnail(_ file: [UInt8], side: Int) throws -> OtherProgram? {
        let path = "/usr/bin/vipsthumbnail"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let folder = try ScratchFolder()
        let source = folder.path("source.jpg")
        try Data(file).write(to: URL(filePath: source))
        return OtherProgram(
            executable: path, arguments: [source, "-s", "\(side)x\(side)", "-o", folder.path("result.v")],
            folder: folder)
    }

    /// `vipsthumbnail` on several copies of a file, with its results in a format.
    ///
    /// - Returns: `nil` when it is not installed.
    static func vipsthumbnail(_ file: [UInt8], copies: Int, side: Int, suffix: String) throws -> OtherProgram? {
        let path = "/usr/bin/vipsthumbnail"
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        let folder = try ScratchFolder()
        let sources = (0..<copies).map { folder.path("source\($0).jpg") }
        for source in sources { try Data(file).write(to: URL(filePath: source)) }
        let result = folder.path("result-%s\(suffix)[Q=80,strip]")
        return OtherProgram(executable: path, arguments: sources + ["-s", "\(side)", "-o", result], folder: folder)
    }

    /// The median of the processor time of a process, user and system, in seconds.
    func processorTime(repeats: Int) throws -> Double {
        median(
            try (0...repeats).map { _ in
                let start = OtherProgram.childrensTime()
                let process = Process()
                process.executableURL = URL(filePath: executable)
                process.arguments = arguments
                try process.run()
                process.waitUntilExit()
                guard process.terminationStatus == 0 else { throw Failure("\(executable) failed") }
                return OtherProgram.childrensTime() - start
            })
    }

    /// The bytes of a file that it has written.
    func resultByteCount(_ name: String) throws -> Int { try Data(contentsOf: URL(filePath: folder.path(name))).count }

    /// Removes its files.
    func remove() { folder.remove() }

    private static func childrensTime() -> Double {
        var usage = rusage()
        // Fills the structure; it fails for another first argument alone.
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
}
