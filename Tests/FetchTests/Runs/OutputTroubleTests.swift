// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

/// Printing may fail; the pictures are fetched all the same.
@Suite(.timeLimit(.minutes(10)))
struct OutputTroubleTests {
    private static let count = 8

    /// Runs the command on a few pictures.
    private func fetch(
        _ options: [String], in workplace: Workplace, output: FileHandle? = nil, shell: String? = nil
    ) async throws -> Finished {
        try await withOriginServer { origin in
            origin.respondToEverything { request in
                (try? Pictures.png(seed: Int(request.path.dropFirst()) ?? 0)) ?? .status(500)
            }
            let urls = (0..<Self.count).map { origin.url("/\($0)").absoluteString }
            let arguments = ["--allow-private"] + workplace.folders + options + urls
            return try await workplace.fetch(arguments, output: output, shell: shell)
        }
    }

    @Test(arguments: [["--json"], []])
    func `a reader that leaves early costs no picture`(format: [String]) async throws {
        let workplace = try Workplace()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let run = try await fetch(format, in: workplace, output: pipe.fileHandleForWriting)
        expect(!run.wasKilled)
        expectEqual(run.status, 0)
        expectEqual(run.errors, "")
        expectEqual(workplace.names(in: workplace.pictures).count, Self.count)
    }

    @Test func `a closed output costs no picture, and no line is written into one`() async throws {
        let workplace = try Workplace()
        let run = try await fetch(["--json"], in: workplace, shell: "exec \"$0\" \"$@\" <&- >&- 2>&-")
        expectEqual(run.status, 0)
        let pictures = workplace.names(in: workplace.pictures)
        expectEqual(pictures.count, Self.count)
        for name in pictures {
            let data = try Data(contentsOf: workplace.pictures.appending(path: name))
            try expect((0..<Self.count).contains { data == Data(try Pictures.bytes(seed: $0)) })
        }
    }

    @Test func `a full output costs no picture, but is reported`() async throws {
        let workplace = try Workplace()
        let full = try required(FileHandle(forWritingAtPath: "/dev/full"))
        let run = try await fetch(["--json"], in: workplace, output: full)
        expectEqual(run.status, 1)
        expectEqual(run.complaints, ["fetch: cannot write to standard output: No space left on device"])
        expectEqual(workplace.names(in: workplace.pictures).count, Self.count)
    }

    @Test func `a folder that cannot be written is an error for each picture`() async throws {
        let run = try await fetch(["--json", "--out", "/proc/self"], in: try Workplace())
        expectEqual(run.status, 1)
        try expectEqual(run.lines.count, Self.count)
        try expect(run.lines.allSatisfy { $0.error?.code == "cannotWrite" })
        try expect(run.lines.allSatisfy { $0.error?.message.contains("/proc/self/") == true })
    }

    @Test func `a limit to the size of files is an error for each picture beyond it`() async throws {
        let workplace = try Workplace()
        let run = try await fetch(
            ["--json", "--no-cache"], in: workplace, shell: "ulimit -f 1; exec \"$0\" \"$@\"")
        expect(!run.wasKilled)
        expectEqual(run.status, 1)
        try expect(Pictures.bytes().count, >, 512)
        expect(workplace.names(in: workplace.pictures).isEmpty)
    }
}
