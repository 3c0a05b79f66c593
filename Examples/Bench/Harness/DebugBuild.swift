// SPDX-License-Identifier: MIT
import Foundation

/// This program without optimisation, from the folder beside this one's.
enum DebugBuild {
    /// The processor time of each row of the families `pixels` and `feed`, in seconds, by the name of the row.
    static func rows() throws -> [String: Double] {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        let other = own.deletingLastPathComponent().deletingLastPathComponent().appending(path: "debug/bench")
        guard FileManager.default.isExecutableFile(atPath: other.path) else {
            throw Failure("there is no \(other.path); swift build --product bench makes it")
        }
        let (process, output) = (Process(), Pipe())
        process.executableURL = other
        process.arguments = ["--quick", "--only", "pixels", "--only", "feed", "--json"]
        process.standardOutput = output
        try process.run()
        let lines = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure("\(other.path) failed") }
        return try lines.split(separator: UInt8(ascii: "\n")).reduce(into: [:]) { rows, line in
            let row = try JSONDecoder().decode(Line.self, from: line)
            rows[row.row] = row.nanoseconds / 1e9
        }
    }

    private struct Line: Decodable {
        let row: String
        let nanoseconds: Double
    }
}
