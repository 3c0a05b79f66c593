// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

/// An end in the middle leaves no partial file.
@Suite(.timeLimit(.minutes(10)))
struct InterruptTests {
    /// Six pictures that arrive at once, and six that stop in the middle.
    private struct Scene {
        let workplace: Workplace
        let gate = OriginGate()
        let urls: [String]

        init(_ origin: OriginServer) throws {
            workplace = try Workplace()
            urls = (0..<12).map { origin.url("/\($0).png").absoluteString }
            for index in 0..<12 {
                let whole = try Pictures.png(seed: index, width: 200, height: 150)
                origin.respond(
                    to: "/\(index).png", with: index < 6 ? whole : whole.held(at: gate, afterBodyBytes: 1_000))
            }
        }

        /// Starts the command and waits until it is in the middle of six downloads.
        func startAndWait(_ arguments: [String] = []) async throws -> RunningCommand {
            let command = try workplace.start(workplace.options + arguments + urls)
            await gate.waitUntilReached(count: 6)
            return command
        }

        /// Every file is complete. A killed run may leave the hidden file that it was writing, which the next run
        /// removes.
        func checkNothingIsTorn(by run: Finished) throws {
            for name in workplace.names(in: workplace.pictures) where !(run.wasKilled && name.hasSuffix(".part")) {
                expect(name.hasSuffix(".png"))
                let data = try Data(contentsOf: workplace.pictures.appending(path: name))
                try expect((0..<6).contains { data == Data(try Pictures.bytes(seed: $0, width: 200, height: 150)) })
            }
            try expect(run.lines.allSatisfy(\.ok))
        }

        /// The next run fetches the remaining pictures.
        func finish() async throws {
            gate.open()
            let run = try await workplace.fetch(workplace.options + urls)
            expectEqual(run.status, 0)
            try expectEqual(run.lines.filter(\.ok).count, 12)
            expectEqual(workplace.names(in: workplace.pictures).count, 12)
            expect(workplace.names(in: workplace.cache.appending(path: "tmp")).isEmpty)
            for line in try run.lines {
                let seed = ImageFactory.seed(of: try workplace.picture(line))
                expectEqual(seed, urls.firstIndex(of: line.url))
            }
        }
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal during a download ends the program in order`(signal: Int32, status: Int32) async throws {
        try await withOriginServer { origin in
            let scene = try Scene(origin)
            let command = try await scene.startAndWait()
            command.send(signal)
            let run = try await command.end()
            expect(!run.wasKilled)
            expectEqual(run.status, status)
            expectEqual(run.errors, "fetch: interrupted\n")
            try scene.checkNothingIsTorn(by: run)
            expect(scene.workplace.names(in: scene.workplace.cache.appending(path: "tmp")).isEmpty)
            try await scene.finish()
        }
    }

    @Test func `a kill during a download leaves no partial file`() async throws {
        try await withOriginServer { origin in
            let scene = try Scene(origin)
            let command = try await scene.startAndWait()
            command.send(SIGKILL)
            let run = try await command.end()
            expect(run.wasKilled)
            // The file that a kill in the middle of a write leaves.
            let left = [
                scene.workplace.cache.appending(path: "tmp/\(command.processNumber)-1-1"),
                scene.workplace.pictures.appending(path: ".fetch-\(command.processNumber)-1.part"),
            ]
            try scene.checkNothingIsTorn(by: run)
            for file in left {
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data([1, 2, 3]).write(to: file)
            }
            try await scene.finish()
        }
    }

    @Test func `an output without a reader does not keep the program from ending`() async throws {
        try await withOriginServer { origin in
            let scene = try Scene(origin)
            let pipe = FullPipe()
            let command = try scene.workplace.start(
                scene.workplace.options + ["--concurrency", "1"] + [scene.urls[0], scene.urls[6]],
                output: pipe.writing)
            await scene.gate.waitUntilReached()
            command.send(SIGINT)
            let run = try await command.end()
            expect(!run.wasKilled)
            expectEqual(run.status, 130)
        }
    }

    @Test func `a signal stops the program while it waits for a list`() async throws {
        let workplace = try Workplace()
        let input = workplace.folder.appending(path: "fifo").path
        expectEqual(unsafe mkfifo(input, 0o600), 0)
        // A parent may have blocked the signal.
        let blocked = "b='env --block-signal=TERM'; $b true || b=exec; exec $b \"$0\" \"$@\""
        let command = try workplace.start(workplace.options + ["--input", input], shell: blocked)
        // Opening the other end waits until the command has opened its own.
        let writing = try FileHandle(forWritingTo: URL(filePath: input))
        // The program does not handle it yet. SIGINT may be ignored: a shell passes that on to what it starts behind
        // it.
        command.send(SIGTERM)
        try writing.close()
        let run = try await command.end()
        expect(run.wasKilled)
        expectEqual(run.status, SIGTERM)
    }
}
