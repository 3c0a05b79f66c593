// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import ImageServer

/// Every cause of a failure has its own status.
@Suite(.timeLimit(.minutes(10)))
struct ProblemTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let status: Int
        let code: String
        let reply: OriginReply

        init(_ name: String, _ status: Int, _ code: String, _ reply: OriginReply) {
            (testDescription, self.status, self.code, self.reply) = (name, status, code, reply)
        }
    }

    static let cases = [
        Case("missing", 404, "unacceptableStatus", .status(404)),
        Case("gone", 404, "unacceptableStatus", .status(410)),
        Case("forbidden", 403, "unacceptableStatus", .status(403)),
        Case("too many requests", 429, "unacceptableStatus", .status(429)),
        Case("failing origin", 502, "unacceptableStatus", .status(500)),
        Case("busy origin", 503, "unacceptableStatus", .status(503)),
        Case("empty", 502, "emptyBody", .ok([], type: "image/png")),
        Case("hang up", 502, "connectionLost", .hangUp),
        Case("no HTTP", 502, "invalidResponse", .garbage),
        Case("page", 415, "unknownFormat", .ok(Array("<html></html>".utf8), type: "text/html")),
        Case("page that claims to be a picture", 415, "unknownFormat", .ok(Array("<html>".utf8), type: "image/jpeg")),
        Case(
            "broken picture", 422, "malformed",
            .ok([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + ImageFactory.randomBytes(count: 1_000, seed: 1))),
        Case("huge picture", 413, "tooLarge", .ok(ImageFactory.oversizedPNG())),
        Case("long body", 413, "bodyTooLarge", .ok([0xFF, 0xD8, 0xFF]).endless()),
        Case("silence", 504, "timedOut", .silence),
        Case("redirect to a forbidden host", 403, "addressNotAllowed", .redirect(to: "http://localhost/a.png")),
    ]

    @Test(arguments: cases) func `a failure is a problem with its own status`(failing: Case) async throws {
        try await World.run {
            $0.maximumByteCount = 5_000_000
            $0.sourceTimeout = .milliseconds(500)
        } _: { world async throws in
            world.origin.respond(to: "/x", with: failing.reply)
            let answer = try await world.get(world.path(of: "/x"))
            expectEqual(answer.status, failing.status)
            expectEqual(answer.headers["Content-Type"], "application/problem+json")
            expectEqual(answer.headers["Cache-Control"], "no-store")
            // What the origin is short of lasts longer than what the server itself is short of.
            expectEqual(answer.headers["Retry-After"], [429, 503].contains(failing.status) ? "10" : nil)
            expectEqual(answer.headers["X-Content-Type-Options"], "nosniff")
            let id = try required(answer.headers["X-Request-ID"])
            expect(String(decoding: answer.bytes, as: UTF8.self).contains(",\"request\":\"\(id)\"}"))
            let problem = try Problem(answer)
            expectEqual(problem.status, failing.status)
            expectEqual(problem.code, failing.code)
            expect(!problem.detail.isEmpty)
        }
    }

    /// What a client is told, and a part of what the log is told.
    @Test(
        arguments: [
            (OriginReply.hangUp, [], "The origin of the picture did not answer as it should.", "libcurl"),
            (
                .ok([]), ["10.0.0.0/8"], "The picture may not be asked for.",
                " --allow-network and --allow-host say what may be fetched."
            ),
            (
                .ok(Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)), [],
                "The file is no picture of a known format.", " It takes JPEG, PNG, GIF, WebP, BMP and ICO."
            ),
            (
                .ok([0xFF, 0xD8, 0xFF]).endless(), [], "The picture is too large.",
                " --max-bytes BYTES raises the limit."
            ),
            (.ok([0xFF, 0xD8, 0xFF, 0]), [], "The file of the picture is damaged.", "JPEG"),
        ] as [(OriginReply, [String], String, String)])
    func `what the operator must know is in the log, and not in the answer`(
        reply: OriginReply, networks: [String], detail: String, part: String
    ) async throws {
        for picture in [nil, ErrorPictures.File.cross] {
            try await World.run {
                $0.maximumByteCount = 1_000_000
                if !networks.isEmpty { $0.allowedNetworks = networks.compactMap { IPNetwork($0) } }
                $0.errors.ofAll = picture
            } _: { world async throws in
                world.origin.respond(to: "/x", with: reply)
                let answer = await world.server.service.answer(ServerRequest(id: "a", target: world.path(of: "/x")))
                expectEqual(answer.notes.map(\.name), ["error", "message"])
                expectEqual(answer.notes.last?.value.contains(part), true, "\(answer.notes)")
                guard picture == nil else { return }
                expect(String(decoding: answer.body, as: UTF8.self).contains("\"detail\":\"\(detail)\","))
            }
        }
    }

    @Test func `a remembered failure has the status of the first one`() async throws {
        try await World.run { world async throws in
            world.origin.respond(to: "/x", with: .status(404))
            for _ in 0..<2 { try await expectEqual(world.get(world.path(of: "/x")).status, 404) }
            // The age of the failure, which the first answer does not have.
            try await expect(world.get(world.path(of: "/x")).headers["Age"].flatMap { Int($0) } != nil)
            expectEqual(world.origin.requestCount(for: "/x"), 1)
            let again = await world.server.service.answer(ServerRequest(id: "a", target: world.path(of: "/x")))
            expectEqual(again.notes.last?.value.hasSuffix("It is tried again after a while."), true, "\(again.notes)")
        }
    }

    @Test func `a failure is a picture where that is wanted, with its status`() async throws {
        try await World.run {
            $0.errors.ofAll = .cross
        } _: { world async throws in
            world.origin.respond(to: "/x", with: .status(503))
            for (path, status) in [(world.path(of: "/x"), 503), ("/nothing", 404)] {
                let answer = try await world.get(path)
                expectEqual(answer.status, status)
                expectEqual(answer.headers["Content-Type"], "image/png")
                expectEqual(answer.headers["Cache-Control"], "no-store")
                expectEqual((answer.headers["Retry-After"] != nil), (status == 503))
                try expectEqual(ImageCoders.default.decode(answer.bytes).width, 64)
            }
            let figures = try await world.get("/metrics", port: world.server.metricsPort)
            let line = "image_server_errors_total{code=\"unacceptableStatus\"} 1\n"
            expect(String(decoding: figures.bytes, as: UTF8.self).contains(line))
        }
    }

    @Test func `a fallback stands for what cannot be loaded, not for what may not be asked`() async throws {
        let file = try Pictures.file(seed: 9, as: .jpeg())
        let fallback = try required(ErrorPictures.File(file))
        // The head of a picture is none.
        try expectNil(ErrorPictures.File(Array(Pictures.file().prefix(50))))
        let busy = Failure(ImageLoadError(code: .overloaded, message: "Too many wait."))
        expectEqual(busy.retryAfter, 1)
        expectEqual(busy.message, "Too many wait. --queue COUNT lets more loads wait.")
        for (code, cause, advice) in [
            (.queueTimedOut, nil, "--downloads COUNT lets more originals arrive at once."),
            (.undecodable, .tooLarge, "--max-pixels COUNT raises the limit of pixels."),
            (.undecodable, .truncated, "--fail-on never serves what is there."),
        ] as [(ImageLoadError.Code, ImageError.Code?, String)] {
            let cause = cause.map { ImageError(code: $0, message: "") }
            let failure = Failure(ImageLoadError(code: code, message: "No.", cause: cause))
            expectEqual(failure.message, "No. \(advice)")
        }
        expectEqual([403, 413, 415, 422].map(Answer.title).filter { $0 == "Error" }, [])
        expectEqual([429, 502, 504].map(Answer.title), ["Too Many Requests", "Bad Gateway", "Gateway Timeout"])
        try await World.run {
            $0.errors.fallback = fallback
        } _: { world async throws in
            let answer = try await world.get(world.path(of: "/missing"))
            expectEqual(answer.status, 404)
            expectEqual(answer.headers["Content-Type"], "image/jpeg")
            expectEqual(answer.bytes, file)
            try await expectEqual(world.get("/nothing").headers["Content-Type"], "application/problem+json")
        }
    }

    @Test func `a host outside of the list is not asked`() async throws {
        try await World.run {
            $0.allowedHosts = ["example.com"]
        } _: { world async throws in
            try await expectEqual(world.get(world.path()).status, 403)
            expectEqual(world.origin.connectionCount, 0)
        }
    }

    /// As a string of JSON, in which a terminal finds nothing to obey or to hide.
    @Test(arguments: [
        ("\"\\/", #"\"\\/"#), ("\u{0}\n\u{7F}", #"\u0000\u000a\u007f"#), ("\u{85}\u{2028}", #"\u0085\u2028"#),
        ("a\u{202E}b\u{2066}c", #"a\u202eb\u2066c"#), ("\u{AD}\u{200B}\u{FEFF}", #"\u00ad\u200b\ufeff"#),
        ("\u{1D173}\u{E0041}", #"\ud834\udd73\udb40\udc41"#), ("ä😀</script>", "ä😀</script>"), ("", ""),
    ])
    func `a text with every kind of character is a string of JSON`(text: String, quoted: String) throws {
        expectEqual(text.quotedJSON, "\"\(quoted)\"")
        try expectEqual(JSONDecoder().decode(String.self, from: Data(text.quotedJSON.utf8)), text)
    }
}
