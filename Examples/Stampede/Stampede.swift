// SPDX-License-Identifier: MIT
import Foundation
import WebImage
import WebImageTesting

/// A thousand callers request ten pictures at the same time, with mixed priorities, and a third of them leaves again.
///
/// The lesson: the origin gets ten requests, the urgent pictures come first, and a caller that leaves disturbs no
/// other. Every choice follows from `--seed`, and time is counted in turns, so equal seeds print equal lines.
@main
struct Stampede {
    static func main() async throws {
        if Version.isPrinted(for: "stampede") { return }
        if CommandLine.arguments.dropFirst().elementsEqual(["--help"]) { return print(usage) }
        let plan = Plan(seed: seed(CommandLine.arguments.dropFirst()))
        let origin = try OriginServer.start()
        defer { origin.stop() }
        let gates = try plan.serve(from: origin)

        var configuration = ImageManager.Configuration()
        configuration.disk = nil
        configuration.downloader.maximumConcurrentDownloads = Plan.slots
        configuration.transport.addressPolicy = .unrestricted  // the origin is on loopback
        try await withImageManager(configuration) { manager in
            let show = Show(plan, manager, origin, gates)
            try await show.fillTheSlots()
            try await show.letEverybodyIn()
            await show.letSomeLeave()
            try await show.serveInTurns()
            show.prove()
        }
    }

    private static func seed(_ words: ArraySlice<String>) -> UInt64 {
        let words = Array(words)
        if words.isEmpty { return 1 }
        if words.count == 2, words[0] == "--seed", let seed = UInt64(words[1]) { return seed }
        FileHandle.standardError.write(Data((usage + "\n").utf8))
        exit(2)
    }

    private static let usage = """
        usage: stampede [--seed N]
        A thousand callers ask for ten pictures at once, and a third of them leaves again: ten requests reach the origin.
        Equal seeds print equal lines; 1 by default.
        """
}
