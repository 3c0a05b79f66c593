// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct MainJobTests {
    @Test func `without a URL the program shows a demonstration offline, and a second run reads from disk`()
        async throws
    {
        let workplace = try Workplace()
        let inFolderOfItsOwn = "mkdir -p temporary && TMPDIR=$PWD/temporary exec \"$0\" \"$@\""
        let first = try await workplace.fetch([], shell: inFolderOfItsOwn)
        let second = try await workplace.fetch(["--json"], shell: inFolderOfItsOwn)
        expectEqual(first.status, 0)
        expectEqual(second.status, 0)
        expectEqual(first.complaints.count, 4)
        expectEqual(second.errors, "")
        let told = first.output.split(separator: "\n")
        expect(told.allSatisfy { $0.hasPrefix("network ") })
        let lines = try second.lines
        expectEqual(told.count, lines.count)
        expect(lines.allSatisfy { $0.source == "disk" })
        expectEqual(Set(lines.compactMap(\.format)), ["jpeg", "png", "gif", "webp"])
        for line in lines {
            let picture = try workplace.picture(line)
            expectEqual(picture.width, line.width)
            expectEqual(picture.height, line.height)
            expectEqual(picture.frameCount, line.frames)
        }
        expectEqual(workplace.names(in: workplace.folder), ["errors", "input", "output", "temporary"])

        // A folder that others may write to, and a link, is not used.
        for make in ["mkdir $f; chmod 777 $f", "mkdir own; ln -s $PWD/own $f"] {
            let workplace = try Workplace()
            let shell = "export TMPDIR=$PWD; f=fetch-demo-$(id -u); \(make); exec \"$0\" \"$@\""
            let run = try await workplace.fetch(["--json"], shell: shell)
            expectEqual(run.status, 0)
            let start = workplace.folder.path + "/fetch-demo-\(getuid())-"
            try expect(run.lines.allSatisfy { $0.file?.hasPrefix(start) == true })
        }
    }

    @Test func `on a terminal the demonstration shows its pictures`() async throws {
        for (language, count) in [("C.UTF-8", 1), ("C", 0), ("", 1), ("C.UTF-8 NO_COLOR=1", 0)] {
            let workplace = try Workplace()
            let shell = """
                export TMPDIR=$PWD TERM=xterm LC_ALL=\(language)
                exec script -qec "stty cols 80 rows 24; '$0'" /dev/null < /dev/null
                """
            let run = try await workplace.fetch([], shell: shell)
            expectEqual(run.status, 0)
            expectEqual(run.output.contains("\u{1B}[48;2;") ? 1 : 0, count)
            for name in ["photo", "animation"] { expect(run.output.contains(name)) }
            expectEqual(run.output.contains("network\u{1B}[0m"), language == "C")
            expect(run.output.contains(/8 pictures, [0-9.]+ kB in [0-9.]+ s: 8 network\r\n/))
        }
    }

    @Test func `on a pipe the program prints a plain line for each picture, or none with --quiet`() async throws {
        try await withOriginServer { origin in
            origin.respondToEverything { _ in (try? Pictures.png()) ?? .status(500) }
            let workplace = try Workplace()
            let arguments = ["--allow-private"] + workplace.folders + [origin.url("/a.png").absoluteString]
            let run = try await workplace.fetch(arguments)
            expect(run.output.hasPrefix("network      png   64x48  "))
            expect(run.output.hasSuffix("  \(arguments.last ?? "")\n"))
            expect(!run.output.dropLast().contains { $0.isNewline || $0 == "\u{1B}" })
            try await expectEqual(workplace.fetch(["--quiet"] + arguments).output, "")
        }
    }

    @Test func `the second run asks the origin nothing, and without a cache it asks again`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let url = origin.url("/a.png").absoluteString
            let bare = try Workplace()
            for count in 1...2 {
                let run = try await bare.fetch(bare.options + ["--no-cache", url])
                try expectEqual(run.lines.map(\.source), ["network"])
                expectEqual(origin.requestCount, count)
            }
            expectEqual(bare.names(in: bare.folder), ["errors", "input", "output", "pictures"])
            let workplace = try Workplace()
            let first = try await workplace.fetch(workplace.options + [url])
            let second = try await workplace.fetch(workplace.options + [url])
            try expectEqual(first.lines.map(\.source), ["network"])
            try expectEqual(second.lines.map(\.source), ["disk"])
            expectEqual(origin.requestCount, 3)
            try expectEqual(second.lines[0].width, 64)
            try expectEqual(second.lines[0].height, 48)
            try expectEqual(Data(contentsOf: URL(filePath: required(second.lines[0].file))), Data(try Pictures.bytes()))
        }
    }

    @Test func `a refresh asks with the validator, and a 304 serves the cached file`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png().entityTag("\"v1\""))
            let workplace = try Workplace()
            let arguments = workplace.options + ["--refresh", origin.url("/a.png").absoluteString]
            try await expectEqual(workplace.fetch(arguments).lines.map(\.source), ["network"])
            let second = try await workplace.fetch(arguments)
            expectEqual(second.status, 0)
            try expectEqual(second.lines.map(\.source), ["revalidated"])
            try expectEqual(second.lines.map(\.status), [304])
            expectEqual(origin.requests.map { $0.headers["If-None-Match"] }, [nil, "\"v1\""])
            origin.respond(to: "/a.png", with: try Pictures.png(seed: 2).entityTag("\"v2\""))
            let refused = try await workplace.fetch(arguments)
            try expectEqual(refused.lines.map(\.error?.code), ["fileExists"])
            let third = try await workplace.fetch(arguments + ["--force"])
            try expectEqual(third.lines.map(\.source), ["revalidated"])
            expectEqual(ImageFactory.seed(of: try workplace.picture(third.lines[0])), 2)
        }
    }

    @Test func `a picture is resized and written in another format`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png(width: 200, height: 100))
            let workplace = try Workplace()
            let run = try await workplace.fetch(
                workplace.options + ["--resize", "40x40:fill", "--format", "webp", origin.url("/a.png").absoluteString])
            let line = try required(try run.lines.first)
            let picture = try workplace.picture(line)
            expectEqual(line.format, "webp")
            try expect(required(line.file).hasSuffix(".webp"))
            expectEqual([line.width, line.height], [40, 40])
            expectEqual(picture.size, PixelSize(width: 40, height: 40))
            // Of an animation every frame is.
            let animation = try ImageFactory.encodedAnimation(width: 16, height: 16, frames: 3, seed: 1, as: .gif)
            origin.respond(to: "/b.gif", with: .ok(animation, type: "image/gif"))
            let moving = try await workplace.fetch(
                workplace.options + ["--resize", "8x8", "--format", "webp", origin.url("/b.gif").absoluteString])
            let frames = try workplace.picture(required(moving.lines.first))
            expectAll(frames.frameCount == 3, frames.size == PixelSize(width: 8, height: 8))
        }
    }

    @Test func `URLs come from the command line, from a file and from standard input`() async throws {
        try await withOriginServer { origin in
            origin.respondToEverything { _ in (try? Pictures.png()) ?? .status(500) }
            let workplace = try Workplace()
            let urls = ["/a", "/b", "/c"].map { origin.url($0).absoluteString }
            try Data("# list\n\(urls[1])\r\n".utf8).write(to: workplace.folder.appending(path: "list"))
            let run = try await workplace.fetch(
                workplace.options + [urls[0], "--input", "list", "--input", "-"], input: "\n\(urls[2])")
            expectEqual(run.status, 0)
            expectEqual(Set(try run.lines.map(\.url)), Set(urls))
        }
    }

    @Test func `a certificate of an unknown issuer is refused, unless all are accepted`() async throws {
        try await withOriginServer(tls: try TestCertificate.make()) { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let workplace = try Workplace()
            let arguments = workplace.options + [origin.url("/a.png").absoluteString]
            let refused = try await workplace.fetch(arguments)
            expectEqual(refused.status, 1)
            try expectEqual(refused.lines.first?.error?.code, "certificateNotTrusted")
            expectEqual(origin.requestCount, 0)
            try await expectEqual(workplace.fetch(["--insecure"] + arguments).status, 0)
        }
    }

    @Test(arguments: [
        ["--bogus"], ["--resize", "big"], ["--input", "nowhere"], ["--input", "-"], ["--out", "input", "http://a/"],
        ["--out=input/below", "http://a/"], ["--info"],
    ])
    func `an invalid command line is an error on standard error with status 2`(arguments: [String]) async throws {
        let run = try await Workplace().fetch(["--json"] + arguments)
        expectEqual(run.status, 2)
        expectEqual(run.output, "")
        expect(run.errors.hasPrefix("fetch: "))
    }
}
