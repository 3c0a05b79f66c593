// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

/// Pictures of this machine: paths, `file:` URLs, folders and standard input.
@Suite(.timeLimit(.minutes(10)))
struct LocalPictureTests {
    private func write(_ names: [String], in workplace: Workplace, seed: Int = 1) throws {
        for (index, name) in names.enumerated() {
            let file = workplace.folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(Pictures.bytes(seed: seed + index)).write(to: file)
        }
    }

    @Test func `paths, file URLs and a link are read, and the cache keeps nothing of them`() async throws {
        let workplace = try Workplace()
        let names = ["a.png", "b ä%41?#\u{1B}[31m.png", "sub/c.png"]
        try write(names, in: workplace)
        try FileManager.default.createSymbolicLink(
            at: workplace.folder.appending(path: "best.png"),
            withDestinationURL: workplace.folder.appending(path: names[2]))
        let url = workplace.folder.appending(path: "sub/c.png").absoluteString
        let named = "FILE://localhost" + workplace.folder.path + "/a.png"
        let words = [names[0], "./" + names[1], url, "best.png", named]
        for resize in [[], ["--resize", "8x8", "--format", "webp"]] {
            let run = try await workplace.fetch(["--json"] + workplace.folders + resize + words)
            expectEqual(run.status, 0)
            let lines = try run.lines
            expectEqual(Set(lines.map(\.url)), Set(words))
            expect(lines.allSatisfy { $0.source == "file" && $0.status == nil })
            guard resize.isEmpty else { continue }
            for (word, seed) in zip(words, [1, 2, 3, 3, 1]) {
                let line = try required(lines.first { $0.url == word })
                expectEqual(ImageFactory.seed(of: try workplace.picture(line)), seed, "\(word)")
            }
        }
        let list = try await workplace.fetch(["--cache-list", "--cache", workplace.cache.path])
        expect(list.output.contains(": 0 files, 0 B"))
        expect(workplace.names(in: workplace.pictures).contains { $0.hasPrefix("best-8x6-") })
    }

    @Test func `a file that has changed gives its new picture, also with the length and the time of the old one`()
        async throws
    {
        let workplace = try Workplace()
        let file = workplace.folder.appending(path: "a.png")
        var sizes: Set<Int> = []
        for seed in [1, 2] {
            // The same length: a comment at the end is not looked at.
            var bytes = try Pictures.bytes(seed: seed)
            bytes += [UInt8](repeating: 0, count: 20_000 - bytes.count)
            sizes.insert(bytes.count)
            let handle = try FileHandle(
                forUpdating: seed == 1
                    ? {
                        try Data().write(to: file)
                        return file
                    }() : file)
            try handle.write(contentsOf: bytes)
            try handle.close()
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1e9)], ofItemAtPath: file.path)
            let run = try await workplace.fetch(
                ["--json", "--force", "--resize", "60x", "--format", "png"] + workplace.folders + ["a.png"])
            expectEqual(ImageFactory.seed(of: try workplace.picture(required(run.lines.first))), seed)
        }
        expectEqual(sizes.count, 1)
    }

    @Test func `a folder stands for its pictures by name, and is mixed with URLs`() async throws {
        try await withOriginServer { origin in
            origin.respond(to: "/a.png", with: try Pictures.png())
            let workplace = try Workplace()
            try write(
                ["in/2.png", "in/1.PNG", "in/.hidden.png", "in/deep/3.png", "in/folder.png/4.png"], in: workplace)
            try Data("text".utf8).write(to: workplace.folder.appending(path: "in/notes.txt"))
            let url = origin.url("/a.png").absoluteString
            let run = try await workplace.fetch(workplace.options + ["-j", "1", "in/", url])
            expectEqual(run.status, 0)
            expectEqual(Set(try run.lines.map(\.url)), ["in/1.PNG", "in/2.png", url])
            let empty = try await workplace.fetch(workplace.options + ["in/deep/..", "."])
            expectAll(empty.status == 2, empty.errors.contains("no file in . is named like a picture"))
        }
    }

    @Test func `a file of a folder that cannot be reached fails, and is not passed over`() async throws {
        let workplace = try Workplace()
        try write(["in/a.png"], in: workplace)
        let make = "ln -s nowhere in/b.png && cp in/a.png \"$(printf 'in/c\\377.png')\" && exec \"$0\" \"$@\""
        let run = try await workplace.fetch(workplace.options + ["in"], shell: make)
        expectEqual(run.status, 1)
        let lines = try run.lines
        expectEqual(lines.map(\.url).sorted(), ["in/a.png", "in/b.png", "in/c\u{FFFD}.png"])
        expectEqual(lines.filter { $0.error == nil }.map(\.url), ["in/a.png"])
        expect(lines.contains { $0.error?.message.contains("rename the file") == true })
    }

    @Test func `standard input is a picture, which goes through a pipe to standard output`() async throws {
        let workplace = try Workplace()
        try write(["a.png"], in: workplace)
        let pipe = "\"$0\" -q \"$@\" - -o - < a.png > b.webp && exec \"$0\" --json \"$@\" - --out out < b.webp"
        let run = try await workplace.fetch(["--format", "webp"], shell: pipe)
        let line = try required(try run.lines.first)
        expectAll(line.url == "-", line.source == "file", line.format == "webp")
        try expect(required(line.file).hasPrefix("out/stdin-"))
        let nothing = try await workplace.fetch(["--json"] + workplace.folders + ["-"])
        try expectEqual(nothing.lines.first?.error?.message, "Nothing is in it.")
        let large = try await workplace.fetch(["--max-bytes", "10", "-"], shell: "exec \"$0\" \"$@\" < /dev/zero")
        expectAll(large.status == 1, large.errors.contains("--max-bytes N raises the limit"))
        let both = try await workplace.fetch(["-", "-i", "-"])
        expectAll(both.status == 2, both.errors.contains("both need standard input"))
    }

    @Test func `no answer of an origin leads to a file`() async throws {
        try await withOriginServer { origin in
            let workplace = try Workplace()
            try write(["a.png"], in: workplace)
            let file = workplace.folder.appending(path: "a.png").absoluteString
            origin.respondToEverything { _ in .redirect(to: file) }
            let run = try await workplace.fetch(workplace.options + [origin.url("/x").absoluteString])
            try expectEqual(run.lines.map(\.error?.code), ["redirectNotAllowed"])
        }
    }
}
