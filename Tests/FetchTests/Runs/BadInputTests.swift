// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@Suite(.timeLimit(.minutes(10)))
struct BadInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let code: String
        /// Words of the message.
        let words: String
        var options: [String] = []
        /// Scripts the origin at `/x` and returns the URL to fetch.
        let prepare: @Sendable (OriginServer) throws -> String

        init(
            _ name: String, _ code: String, _ words: String, _ options: [String] = [],
            _ prepare: @escaping @Sendable (OriginServer) throws -> String
        ) {
            testDescription = name
            self.code = code
            self.words = words
            self.options = options
            self.prepare = prepare
        }

        init(_ name: String, _ code: String, _ words: String, _ options: [String] = [], reply: OriginReply) {
            self.init(name, code, words, options) { origin in
                origin.respond(to: "/x", with: reply)
                return origin.url("/x").absoluteString
            }
        }
    }

    /// 28 MB of zeros in the zlib format: what lies between the head and the end of a picture of them.
    private static let zeros = Array(ImageFactory.oversizedPNG(15_000).dropFirst(41).dropLast(16))
    /// The beginning of a JPEG.
    private static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
    private static let html = OriginReply.ok(Array("<!DOCTYPE html><html></html>".utf8), type: "text/html")

    static let cases: [Case] = [
        Case("refused connection", "cannotConnect", "connect to server") { _ in
            let gone = try OriginServer.start()
            gone.stop()
            return gone.url("/x").absoluteString
        },
        Case("unknown host", "cannotResolveHost", "nowhere.invalid") { _ in "http://nowhere.invalid/x" },
        Case("404", "unacceptableStatus", "404", reply: .status(404)),
        Case("500", "unacceptableStatus", "500", reply: .status(500)),
        Case("redirect loop", "tooManyRedirects", "loop back") { origin in
            origin.redirect(along: ["/x", "/y", "/z", "/x"])
            return origin.url("/x").absoluteString
        },
        Case("endless redirects", "tooManyRedirects", "More than") { origin in
            origin.respondToEverything { .redirect(to: $0.path + "x") }
            return origin.url("/x").absoluteString
        },
        Case("short body", "truncatedBody", "96 bytes", reply: .ok([1, 2, 3, 4]).claimingLength("100")),
        Case(
            "body cut off", "truncatedBody", "remaining",
            reply: .ok([1, 2, 3, 4]).chunked(byteCount: 2).truncated(after: 2)),
        Case("endless body", "bodyTooLarge", "100000", ["--max-bytes", "100000"], reply: .ok(signature).endless()),
        Case(
            "endless chunks", "bodyTooLarge", "100000", ["--max-bytes", "100000"],
            reply: .ok(signature).chunked().endless()),
        Case("endless zeros", "unknownFormat", "no known picture format", reply: .ok([]).endless()),
        Case(
            "announced too large", "bodyTooLarge", "100000", ["--max-bytes", "100000"],
            reply: .ok([1]).claimingLength("9999999999")),
        Case(
            "an encoding that was not asked for", "invalidResponse", "deflate",
            reply: .ok(zeros).header("Content-Encoding", "deflate")),
        Case("page instead of a picture", "unknownFormat", "text/html", reply: html),
        Case("empty body", "emptyBody", "without content", reply: .ok([], type: "image/png")),
        Case("no content", "emptyBody", "without content", reply: .status(204)),
        Case("huge picture in a small file", "tooLarge", "30000x30000", reply: .ok(ImageFactory.oversizedPNG())),
        Case(
            "animation of many huge frames", "tooLarge", "10000x10000",
            reply: .ok(ImageFactory.frameBombGIF())),
        Case("picture beyond the option", "tooLarge", "64x48", ["--max-pixels", "3071"]) { origin in
            origin.respond(to: "/x", with: try Pictures.png())
            return origin.url("/x").absoluteString
        },
        Case("truncated JPEG", "truncated", "premature end") { origin in
            let file = try Pictures.bytes(width: 640, height: 480, as: .jpeg())
            origin.respond(to: "/x", with: .ok(ImageFactory.truncated(file), type: "image/jpeg"))
            return origin.url("/x").absoluteString
        },
        Case(
            "random bytes", "unknownFormat", "10000 bytes", reply: .ok(ImageFactory.randomBytes(count: 10_000, seed: 1))
        ),
        Case(
            "random bytes behind a signature", "malformed", "header",
            reply: .ok(
                [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + ImageFactory.randomBytes(count: 10_000, seed: 1))),
        Case("path out of the folder", "unknownFormat", "no known picture format") { _ in "../../../../../etc/passwd" },
        Case("path to nothing", "cannotRead", "No such file") { _ in "./nowhere.png" },
        Case("path with a zero", "cannotRead", "zero byte") { _ in "file:///a%00.png" },
        Case("device", "fileNotAllowed", "With - a pipe is read.") { _ in "/dev/zero" },
        Case("large file", "bodyTooLarge", "--max-bytes", ["--max-bytes", "1000"]) { _ in "/proc/self/exe" },
        Case("path out of the folder at an origin", "unacceptableStatus", "404") {
            $0.url("/").absoluteString + "../../etc/passwd"
        },
        Case("file of another machine", "unsupportedURL", "of this machine") { _ in "file://elsewhere/etc/passwd" },
        Case(
            "redirect to a file", "redirectNotAllowed", "may not be fetched", reply: .redirect(to: "file:///etc/passwd")
        ),
        Case("nothing", "invalidURL", "not a URL") { _ in "" },
        Case("broken UTF-8", "invalidURL", "UTF-8") { $0.url("/").absoluteString + "\u{FFFD}" },
        Case("no scheme", "unsupportedURL", "https://") { _ in "example.org/a.png" },
        Case("data", "unsupportedURL", "\"data\"") { _ in "data:image/png;base64,AAAA" },
        Case("no host", "unsupportedURL", "host") { _ in "http:///a.png" },
        Case("password", "invalidRequest", "--user NAME:PASSWORD sends them.") { _ in
            "http://user:secret@127.0.0.1/a.png"
        },
        Case("endless URL", "invalidURL", "limit") {
            $0.url("/" + String(repeating: "x", count: 100_000)).absoluteString
        },
        Case("no HTTP", "invalidResponse", "HTTP", reply: .garbage),
        Case("hang up", "connectionLost", "Empty reply", reply: .hangUp),
        Case("reset", "connectionLost", "reset by peer", reply: .reset),
        Case("silence", "timedOut", "0.3 seconds", ["--timeout", "0.3"], reply: .silence),
        Case("stall", "timedOut", "0.3 seconds", ["--timeout", "0.3"], reply: .ok([1, 2, 3, 4]).stalled(after: 2)),
        Case(
            "drip", "timedOut", "0.3 seconds", ["--timeout", "0.3"],
            reply: .ok([1]).endless().dripping(byteCount: 1, every: .milliseconds(10))),
        Case("huge head", "headersTooLarge", "65536", reply: .ok([1]).paddedHead(count: 20, valueByteCount: 8_000)),
    ]

    @Test(arguments: cases) func `invalid input has its own error and exit status 1`(_ bad: Case) async throws {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            let url = try bad.prepare(origin)
            let run = try await workplace.fetch(workplace.options + bad.options + ["--", url])
            expectEqual(run.status, 1)
            expectEqual(run.errors, "")
            let line = try required(try run.lines.first)
            try expectEqual(run.lines.count, 1)
            expectEqual(line.url, url)
            expect(!line.ok)
            expectEqual(line.error?.code, bad.code)
            let message = try required(line.error?.message)
            expect(message.contains(bad.words))
            expect(message.count, >, 10)
            expect(line.milliseconds != nil)
            expect(!FileManager.default.fileExists(atPath: workplace.pictures.path))
        }
    }

    @Test func `a failure has the status and the type of its origin, and does not affect the other URLs`() async throws
    {
        try await withOriginServer { origin in
            origin.respond(to: "/404", with: .status(404))
            origin.respond(to: "/page", with: Self.html)
            origin.respond(to: "/good.png", with: try Pictures.png())
            let workplace = try Workplace()
            let urls = ["/404", "/page", "/good.png"].map { origin.url($0).absoluteString }
            let run = try await workplace.fetch(workplace.options + ["--concurrency", "1"] + urls + ["nonsense"])
            let lines = try run.lines
            let byURL = Dictionary(uniqueKeysWithValues: lines.map { ($0.url, $0) })
            expectEqual(byURL[urls[0]]?.status, 404)
            expectEqual(byURL[urls[1]]?.status, 200)
            expectEqual(byURL[urls[1]]?.contentType, "text/html")
            expectEqual(run.status, 1)
            expectEqual(lines.filter(\.ok).map(\.url), [urls[2]])
            expectEqual(lines.count, 4)
        }
    }

    @Test func `a failure on a pipe goes to standard error, harmless to a terminal`() async throws {
        let workplace = try Workplace()
        let run = try await workplace.fetch(workplace.folders + ["x:///\u{1B}[31m\nfetch: all is well"])
        expectEqual(run.status, 1)
        expectEqual(run.output, "")
        expectEqual(run.complaints.count, 1)
        expect(run.errors.hasPrefix("fetch: failed   unsupportedURL: "))
        expect(!run.errors.contains("\u{1B}"))
    }
}
