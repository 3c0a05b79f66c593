// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import fetch

/// What makes the command a tool: one file, standard output, fields, retries, and the care of the cache.
@Suite(.timeLimit(.minutes(10)))
struct ToolTests {
    @Test func `one picture goes to a file or to standard output`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let (workplace, url) = (try Workplace(), origin.url("/a.png").absoluteString)
            let options = ["--allow-private", "--cache", workplace.cache.path]
            let toFile = try await workplace.fetch(options + ["-o", "sub/a.png", url])
            expectEqual(toFile.status, 0)
            expect(toFile.output.contains("  sub/a.png  "))
            let picture = workplace.folder.appending(path: "sub/a.png")
            try expectEqual(Data(contentsOf: picture), Data(try Pictures.bytes()))
            let piped = try await workplace.fetch(options + ["-o", "-", url])
            expectEqual(piped.status, 0)
            try expectEqual(Data(contentsOf: workplace.folder.appending(path: "output")), Data(try Pictures.bytes()))
            expect(piped.errors.hasPrefix("disk  "))
        }
    }

    @Test func `a file has the format of its name, as it came where it came so, and the origin is asked once`()
        async throws
    {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let (workplace, url) = (try Workplace(), origin.url("/a.png").absoluteString)
            let options = ["--json", "--allow-private", "--cache", "cache"]
            for (count, more) in [["--no-cache"], [], ["--refresh"]].enumerated() {
                let run = try await workplace.fetch(options + more + ["-o", "\(count).webp", url])
                try expectEqual(run.lines.map(\.format), ["webp"])
                try expectEqual(run.lines.map(\.source), ["network"])
                try expectEqual(ImageFormat(sniffing: file("\(count).webp", of: workplace)), .webp)
                expectEqual(origin.requestCount, count + 1)
            }
            let same = try await workplace.fetch(options + ["-o", "same.png", url])
            expectEqual(same.status, 0)
            try expectEqual(file("same.png", of: workplace), Pictures.bytes())
            let run = try await workplace.fetch(options + ["-o", "a.bmp", url])
            expectEqual(run.status, 1)
            expect(run.output.contains("No encoder here writes bmp. Name the file .jpg, .png, .gif or .webp."))
        }
    }

    private func file(_ name: String, of workplace: Workplace) throws -> [UInt8] {
        Array(try Data(contentsOf: workplace.folder.appending(path: name)))
    }

    @Test func `fields and a password are sent, and such pictures are cached apart`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let (workplace, url) = (try Workplace(), origin.url("/a.png").absoluteString)
            let given = ["-H", "X-Key: 5", "-A", "me", "--user", "joe:secret"]
            try await expectEqual(workplace.fetch(workplace.options + [url]).lines.map(\.source), ["network"])
            for source in ["network", "disk"] {
                let run = try await workplace.fetch(workplace.options + given + ["--force", url])
                try expectEqual(run.lines.map(\.source), [source])
            }
            let request = try required(origin.requests.last)
            expectEqual(origin.requestCount, 2)
            let other = ["-H", "X-Key: 5", "-A", "me", "--user", "joe:other", "--force"]
            try await expectEqual(workplace.fetch(workplace.options + other + [url]).lines.map(\.source), ["network"])
            expectEqual(request.headers["X-Key"], "5")
            expectEqual(request.headers["User-Agent"], "me")
            expectEqual(request.headers["Authorization"], "Basic am9lOnNlY3JldA==")
        }
    }

    @Test func `a request is tried again as often as it is asked for`() async throws {
        try await withOriginServer { origin in
            let picture = try Pictures.png()
            origin.respondToEverything { _ in origin.requestCount < 3 ? .status(503) : picture }
            let (workplace, url) = (try Workplace(), origin.url("/a.png").absoluteString)
            try await expectEqual(workplace.fetch(workplace.options + [url]).lines.map(\.status), [503])
            let run = try await workplace.fetch(workplace.options + ["--retry", "1", "--verbose", url])
            try expectEqual(run.lines.map(\.source), ["network"])
            try expectEqual(run.lines.map(\.status), [200])
            // The last answer counts, wherever it came from.
            origin.respond(to: "/moved.png", with: .redirect(to: "/a.png"))
            let moved = try await workplace.fetch(workplace.options + [origin.url("/moved.png").absoluteString])
            try expectEqual(moved.lines.map(\.status), [200])
            // What the origin answered, and how long it took.
            expect(run.output.contains(/"transferMilliseconds":\d+,"milliseconds":\d+\}/))
            let told = run.complaints
            expectAll(told.count == 3, told.first == "  status 200, image/png")
            let count = try Pictures.bytes().count
            expect(told.contains("  \(count) bytes from 127.0.0.1, HTTP/1.1, 2 tries"), "\(told)")
            expect(told.last?.contains(/, first byte \d+ ms, whole transfer \d+ ms, with the wait \d+ ms$/) == true)
        }
    }

    @Test func `pictures are changed, marked, and put on one sheet`() async throws {
        try await withOriginServer { origin in
            for name in ["/a.png", "/b.png", "/mark.png"] { origin.respond(to: name, with: try Pictures.png()) }
            let workplace = try Workplace()
            let urls = ["/a.png", "/b.png", "/broken"].map { origin.url($0).absoluteString }
            let sheet = workplace.folder.appending(path: "sheets/all.png")
            let run = try await workplace.fetch(
                workplace.options + ["--apply", "grayscale", "--watermark", origin.url("/mark.png").absoluteString]
                    + ["--format", "png", "--colors", "4", "--contact-sheet", "sheets/all.png"] + urls)
            expectEqual(run.status, 1)
            try expectEqual(run.lines.count, 3)
            expectEqual(origin.requestCount(for: "/mark.png"), 1)
            let image = try ImageCoders.default.decode(Array(Data(contentsOf: sheet)))
            expectEqual(image.size, PixelSize(width: 102, height: 152))
            // In the order of the addresses, whichever comes first.
            let tones = try [UInt8(0), 255].map { shade in
                let pixels = [[UInt8]](repeating: [shade, shade, shade, 255], count: 64 * 48).flatMap { $0 }
                let frame = DecodedImage.Frame(pixels: pixels)
                return try DecodedImage(width: 64, height: 48, frames: [frame], hasAlpha: false)
            }
            let jobs = Job.merging(["black", "white"])
            let file = try SheetFile(workplace.folder.path + "/tones.png", jobs, overwrites: false)
            await file.place(tones[1], of: jobs[1])
            await file.place(tones[0], of: jobs[0])
            _ = try await file.write()
            expectError(UsageError.self) { try SheetFile("a.gif", jobs, overwrites: false) }
            let sheetOfTones = try ImageCoders.default.decode(self.file("tones.png", of: workplace))
            let pixels = sheetOfTones.pixels
            let middle = stride(from: 0, to: pixels.count, by: 4).filter { pixels[$0] == 0 }
            expect(middle.count > 1_000 && (middle.max() ?? 0) < pixels.count / 2, "the black one is the first")
            for line in try run.lines where line.file != nil {
                let pixels = try workplace.picture(line).pixels
                let colors = Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<($0 + 4)]) })
                expect(colors.count, <=, 4)
            }
        }
    }

    @Test func `a proxy gets the request`() async throws {
        try await withOriginServer { proxy in
            proxy.respondToEverything { _ in (try? Pictures.png()) ?? .status(500) }
            let workplace = try Workplace()
            let run = try await workplace.fetch(
                workplace.options + ["--proxy", proxy.url("/").absoluteString, "http://pictures.invalid/a.png"])
            expectEqual(run.status, 0)
            expectEqual(proxy.requests.map { $0.headers["Host"] }, ["pictures.invalid"])
        }
    }

    @Test func `the cache is counted, trimmed and emptied`() async throws {
        try await withOriginServer { origin in
            origin.respondToEverything { request in
                (try? Pictures.png(seed: Int(request.path.dropFirst()) ?? 0)) ?? .status(500)
            }
            let workplace = try Workplace()
            let care = { (words: [String]) async throws -> [String: Int] in
                let run = try await workplace.fetch(["--json", "--cache", workplace.cache.path] + words)
                expectEqual(run.status, 0)
                let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
                return (object ?? [:]).compactMapValues { $0 as? Int }
            }
            try await expectEqual(care(["--cache-info"])["entries"], 0)
            expect(!FileManager.default.fileExists(atPath: workplace.cache.path))
            _ = try await workplace.fetch(workplace.options + (0..<4).map { origin.url("/\($0)").absoluteString })
            let whole = try await care(["--cache-info"])
            expectAll(whole["entries"] == 4, whole["freedBytes"] == nil)
            // For a reader the same in words, unless none are wanted.
            let words = try await workplace.fetch(["--cache-info", "--cache", workplace.cache.path])
            expect(words.output.hasPrefix("\(workplace.cache.path): 4 files, \(Amount.bytes(whole["bytes"] ?? 0)) of "))
            expect(!words.output.contains("freed"))
            let quiet = try await workplace.fetch(["--cache-trim", "1G", "--quiet", "--cache", workplace.cache.path])
            expectAll(quiet.status == 0, quiet.output.isEmpty)
            let half = try await care(["--cache-trim=\((whole["bytes"] ?? 0) / 2)"])
            expect((1...2).contains(half["entries"] ?? 0))
            expectEqual(half["freedBytes"], (whole["bytes"] ?? 0) - (half["bytes"] ?? 0))
            let empty = try await care(["--cache-clear"])
            expectAll(empty["entries"] == 0, empty["bytes"] == 0)
        }
    }

    @Test func `the cache is listed, verified and repaired`() async throws {
        try await withOriginServer { origin in
            origin.respondToEverything { request in
                (try? Pictures.png(seed: Int(request.path.dropFirst()) ?? 0)) ?? .status(500)
            }
            let workplace = try Workplace()
            let urls = (0..<3).map { origin.url("/\($0)").absoluteString }
            _ = try await workplace.fetch(workplace.options + urls)
            let care = ["--cache", workplace.cache.path]
            let list = try await workplace.fetch(care + ["--cache-list", "--json"])
            let entries = try list.output.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
            expectEqual(list.status, 0)
            expectEqual(entries.count, 3)
            expect(entries.allSatisfy { $0["type"] as? String == "image/png" && ($0["bytes"] as? Int ?? 0) > 40 })
            expect(entries.allSatisfy { (0...60).contains($0["ageSeconds"] as? Int ?? -1) })
            for url in urls { expect(entries.contains { ($0["key"] as? String)?.contains(url) == true }) }
            let lines = try await workplace.fetch(care + ["--cache-list"]).output.split(separator: "\n")
            expectAll(lines.count == 3, lines.allSatisfy { $0.split(separator: "\t").count == 4 })

            try await expectEqual(workplace.fetch(care + ["--cache-verify"]).status, 0)
            let files = FileManager.default.enumerator(at: workplace.cache, includingPropertiesForKeys: nil)
            let victim = try required(
                files?.compactMap { $0 as? URL }.first { $0.lastPathComponent.count == 32 })
            try Data([1, 2, 3]).write(to: victim)
            let found = try await workplace.fetch(care + ["--cache-verify"])
            expectAll(found.status == 1, found.errors.contains("\(victim.lastPathComponent) is damaged"))
            expectAll(found.output.contains("2 entries"), found.output.contains("1 files are damaged"))
            expect(FileManager.default.fileExists(atPath: victim.path))
            let repaired = try await workplace.fetch(care + ["--cache-repair", "--json"])
            let sums = try JSONSerialization.jsonObject(with: Data(repaired.output.utf8)) as? [String: Any]
            expectAll(repaired.status == 0, sums?["damaged"] as? Int == 1, sums?["left"] as? Int == 0)
            expect(!FileManager.default.fileExists(atPath: victim.path))
            try await expectEqual(workplace.fetch(care + ["--cache-verify"]).status, 0)
        }
    }

    @Test func `the demonstration's pictures are served to other programs until a signal`() async throws {
        let (workplace, output) = (try Workplace(), Pipe())
        let server = try workplace.start(["--serve", "0"], output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let url = String(try required(text.split(separator: "\n").first))
        let run = try await workplace.fetch(workplace.options + [url])
        let lost = try await workplace.fetch(workplace.options + [url + "/nowhere"])
        expectAll(lost.status == 1, lost.output.contains("404"))
        // More than may be open at a time, one after the other.
        let many = (0..<40).map { "\(url)/nowhere?\($0)" }
        let answers = try await workplace.fetch(workplace.options + ["--timeout", "10"] + many).lines
        expectEqual(answers.map(\.status), [Int?](repeating: 404, count: 40))
        let taken = try await workplace.fetch(["--serve", "\(try required(URL(string: url)?.port))"])
        expectAll(taken.status == 2, taken.errors.contains("is taken; 0 takes a free one"))
        server.send(SIGTERM)
        try expectEqual(run.lines.map(\.format), ["jpeg"])
        try await expectEqual(server.end().status, 0)
    }

    @Test(arguments: [["--version"], ["--man"], ["--completions", "fish"], ["--help"]])
    func `what the program says about itself goes to standard output`(words: [String]) async throws {
        let run = try await Workplace().fetch(words)
        expectEqual(run.status, 0)
        expect(run.output.contains("fetch"))
        if words == ["--help"] { expect(run.output.hasPrefix("usage: fetch")) }
        expectEqual(run.errors, "")
    }
}
