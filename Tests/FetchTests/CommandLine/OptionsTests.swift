// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import TestSupport
import Testing
import WebImage

@testable import fetch

struct OptionsTests {
    @Test func `without options the defaults apply`() throws {
        let options = try Options(parsing: [])
        expect(options.urls.isEmpty)
        expectNil(options.resize)
        expectEqual(options.format, .original)
        expectAll(options.folder == nil, options.file == nil, !options.overwrites)
        expectNil(options.cache)
        expect(options.usesCache)
        expectEqual(options.concurrency, 6)
        expectNil(options.timeout)
        expectAll(!options.allowsPrivate, !options.isInsecure, !options.refreshes)
        expectAll(!options.writesJSON, !options.isQuiet, !options.isVerbose)
        expectEqual(options.action, .fetch)
    }

    @Test func `every option is parsed`() throws {
        let options = try Options(
            parsing: """
                --resize 800x600:fill --format webp --quality 70 --out o --cache c --no-cache --refresh --input a
                --input - --concurrency 3 --timeout 2.5 --max-bytes 10 --max-pixels 20 --allow-private --insecure
                --json --quiet --verbose --force --name {hash}.{format} --header A:1 -H B:2 --user-agent me
                --user a:b --proxy http://c:d%2F@localhost:3128 --retry 14 --fail-on any-damage --help
                http://a/ http://b/
                """.split(whereSeparator: \.isWhitespace).map(String.init))
        expectEqual(options.resize?.transformer, .resize(to: PixelSize(width: 800, height: 600), mode: .fill))
        expectEqual(options.format, .webp(quality: 70))
        expectEqual(options.folder, "o")
        expectEqual(options.cache, "c")
        expect(!options.usesCache)
        expect(options.refreshes)
        expectEqual(options.inputs, ["a", "-"])
        expectEqual(options.concurrency, 3)
        expectEqual(options.timeout, .seconds(2.5))
        expectEqual(options.maximumBytes, 10)
        expectEqual(options.maximumPixels, 20)
        expectAll(options.allowsPrivate, options.isInsecure, options.writesJSON, options.isQuiet)
        expectAll(options.isVerbose, options.overwrites)
        expectEqual(options.name, (try NameTemplate("{hash}.{format}")))
        expectEqual(options.headers, ["A": "1", "B": "2", "User-Agent": "me"])
        expectEqual(options.user, "a:b")
        expectEqual(options.proxy?.absoluteString, "http://localhost:3128")
        expectEqual(options.proxyCredential, .basic(user: "c", password: "d/"))
        expectEqual(options.retries, 14)
        expectEqual([options.retryPolicy.maximumAttempts, options.retryPolicy.retriesPerHost], [15, 14])
        expectEqual(options.failOn, .anyDamage)
        expectEqual(options.action, .help)
        expectEqual(options.urls, ["http://a/", "http://b/"])
    }

    @Test func `options and their values may stand in any place and form`() throws {
        try expectEqual(Options(parsing: ["--quality", "5", "--format", "jpeg"]).format, .jpeg(quality: 5))
        try expectEqual(Options(parsing: ["--format", "jpeg", "--quality", "5"]).format, .jpeg(quality: 5))
        // After two dashes everything is a URL.
        let dashes = try Options(parsing: ["--json", "--", "--quiet", "-x"])
        expectEqual(dashes.urls, ["--quiet", "-x"])
        expect(!dashes.isQuiet)
        // A value may stand behind an equals sign, and letters may stand together.
        let options = try Options(parsing: ["--cache=--json", "--format=png", "-qvoa.png", "-H", "A:1", "http://a/"])
        expectEqual(options.file, "a.png")
        expectEqual(options.cache, "--json")
        expectEqual(options.format, .png)
        expectAll(options.isQuiet, options.isVerbose, !options.writesJSON)
        expectEqual(options.headers, ["A": "1"])
        try expectEqual(Options(parsing: ["-H", "A: \t1 2 "]).headers, ["A": "1 2"])
        try expectEqual(Options(parsing: ["-H", "A: 1", "-H", "a:2"]).headers.values(for: "A"), ["1", "2"])
        // A number may have a unit.
        let units = try Options(parsing: ["--max-bytes", "20M", "--max-pixels", "3k", "--cache-trim", "0"])
        expectEqual(units.maximumBytes, 20_000_000)
        expectEqual(units.maximumPixels, 3_000)
        expectEqual(units.action, .cache(.trim(byteCount: 0)))
        try expectEqual(Options(parsing: ["--max-bytes", "1G"]).maximumBytes, 1_000_000_000)
        let letters = ["-fj4", "-i", "a", "-u", "a:b", "-x", "socks5h://c:1", "-s", "--contact-sheet", "d.png", "-"]
        let short = try Options(parsing: letters)
        expectAll(short.overwrites, short.concurrency == 4, short.inputs == ["a"], short.user == "a:b")
        expectAll(short.proxy?.scheme == "socks5h", short.showsPictures, short.contactSheet == "d.png")
        expectEqual(short.urls, ["-"])
    }

    @Test func `what the command does besides fetching is asked for by one word`() throws {
        for (word, action) in [
            ("--info", .info), ("-h", .help), ("-V", .version), ("--man", .manPage),
            ("--serve=65535", .serve(port: .max)),
            ("--completions=zsh", .completions(.zsh)), ("--cache-info", .cache(.info)), ("--cache-list", .cache(.list)),
            ("--cache-verify", .cache(.verify(removesDamages: false))), ("--cache-clear", .cache(.clear)),
            ("--cache-repair", .cache(.verify(removesDamages: true))),
        ] as [(String, Options.Action)] {
            try expectEqual(Options(parsing: [word]).action, action, "\(word)")
        }
    }

    @Test func `a box has a mode, and with one side it limits that side alone`() throws {
        for (text, mode) in [
            ("10x20", .fit), ("10x20:fit", .fit), ("10x20:fill", .fill), ("10x20:stretch", .stretch),
        ] as [(String, ResizeTransformer.Mode)] {
            let expected = ResizeTransformer.resize(to: PixelSize(width: 10, height: 20), mode: mode)
            try expectEqual(Options(parsing: ["--resize", text]).resize?.transformer, expected, "\(text)")
        }
        let box = { (text: String) in
            try Resize(text).transformer.resultSize(for: PixelSize(width: 4_000, height: 3_000))
        }
        try expectEqual(box("800x"), PixelSize(width: 800, height: 600))
        try expectEqual(box("x300"), PixelSize(width: 400, height: 300))
    }

    @Test func `effects apply in the order given, and encoders get their options`() throws {
        let words =
            "--apply blur:2 --resize 8x8 --apply tint:#102030 --apply smartcrop:4x3 --format png --level 9 --apng"
        let options = try Options(parsing: words.split(separator: " ").map(String.init))
        expectEqual(
            options.transformers.map(\.key),
            ["resize(8x8,fit)", "blur(2.0)", "tint(#102030,sourceIn)", "smartcrop(4x3,attention)"])
        expectEqual(
            options.format, .encoded(EncodedFormat(.png, options: .init(compressionLevel: 9, writesAPNG: true))))
        let more = """
            --lossless --effort 6 --first-frame --no-dither --progressive --background 102030 --fit-bytes 5k --colors 16
            --or-first-frame
            """
        let all = try Options(parsing: more.split(whereSeparator: \.isWhitespace).map(String.init))
        let encode = all.encode
        expectAll(encode.isLossless, encode.firstFrameOnly, !encode.isDithered, encode.isProgressive)
        expectAll(encode.effort == 6, encode.maximumByteCount == 5_000, encode.maximumColors == 16)
        expectAll(encode.background == PixelColor(red: 16, green: 32, blue: 48), all.fallsBackToFirstFrame)
    }

    @Test func `each effect is the transformer of its name`() throws {
        for (text, transformer) in [
            ("flip", .flip(.vertical)), ("flop", .flip(.horizontal)), ("grayscale", .grayscale), ("trim", .trim()),
            ("sharpen", .sharpen()), ("circle", .circle), ("brightness:0.5", .brightness(0.5)), ("pad:3", .pad(by: 3)),
            ("contrast:2", .contrast(2)), ("saturation:0", .saturation(0)), ("rotate:-90", .rotate(degrees: -90)),
            ("round:4.5", .round(radius: 4.5)), ("blur:2", .blur(sigma: 2)),
        ] as [(String, any ImageTransforming)] {
            try expectEqual(Effect(text).transformer.key, transformer.key, "\(text)")
        }
    }

    @Test func `what the options say is what the loader has`() throws {
        func configuration(_ words: String) throws -> ImageManager.Configuration {
            ImageManager.Configuration(try Options(parsing: words.split(separator: " ").map(String.init))) { _ in }
        }
        let usual = ImageManager.Configuration()
        let short = try configuration("--timeout 1 --concurrency 64 --no-cache --max-bytes 7").transport
        expectEqual(
            [short.totalTimeout, short.idleTimeout, short.connectTimeout], [.seconds(1), .seconds(1), .seconds(1)])
        expectEqual([short.maximumConnectionsPerHost, short.maximumConnections >= 64 ? 64 : 0], [64, 64])
        let long = try configuration("--timeout 3600")
        expectEqual(long.transport.totalTimeout, .seconds(3_600))
        expectEqual(long.transport.idleTimeout, usual.transport.idleTimeout, "a silent origin is no slow one")
        expectEqual(long.transport.connectTimeout, usual.transport.connectTimeout)
        let few = try configuration("--concurrency 2 --no-cache --max-bytes 7 --cache /a")
        expectEqual([few.downloader.maximumConcurrentDownloads, few.downloader.maximumByteCount], [2, 7])
        expectNil(few.disk)
        try expectEqual(configuration("--cache /a").disk?.folder, "/a")
        let proxied = try configuration("--proxy http://a:b@c:1").transport
        expectEqual(proxied.proxy?.absoluteString, "http://c:1")
        expectEqual(proxied.proxyCredential, .basic(user: "a", password: "b"))
        // More pixels take more memory and more time, and fewer do not take less.
        let (limits, more) = (usual.limits, try configuration("--max-pixels 500M").limits)
        expectEqual(more.maximumPixelCount, 500_000_000)
        expectEqual(more.maximumDrawnPixelCount, limits.maximumDrawnPixelCount * 10)
        expectEqual(more.maximumAnimationPixelCount, limits.maximumAnimationPixelCount * 10)
        expectEqual(more.maximumByteCount, limits.maximumByteCount * 10)
        expectEqual(more.maximumProcessorTime, limits.maximumProcessorTime * 10)
        let less = try configuration("--max-pixels 5").limits
        expectEqual([less.maximumPixelCount, less.maximumByteCount], [5, limits.maximumByteCount])
    }

    @Test func `a password may hold colons, and near-lossless is a kind of lossless`() throws {
        expectEqual(try Reading.credential("joe:a:b:"), .basic(user: "joe", password: "a:b:"))
        let encode = try Options(parsing: ["--near-lossless", "60"]).encode
        expect(encode.isLossless && encode.nearLossless == 60)
    }

    @Test func `metadata is kept by name, and light is resized by choice`() throws {
        let words = ["--format", "jpeg", "--keep", "profile,copyright", "--resize", "8x8:fill", "--linear"]
        let options = try Options(parsing: words)
        expectEqual(options.format, .encoded(.jpeg().keeping([.colorProfile, .copyright])))
        expectEqual(options.transformers.map(\.key), ["resize(8x8,fill,linear)"])
        try expectEqual(Options(parsing: ["--keep", "all"]).encode.keptMetadata, .all)
        for text in ["", "profile,", "gps", "all copyright"] {
            expectError(UsageError.self) { try Options(parsing: ["--keep", text]) }
        }
    }

    @Test func `an invalid word is named, without a password and without control characters`() {
        for words in [
            ["--resize", "10"], ["--resize", "10x:fill"], ["--resize", "x"], ["--resize", "0x5"], ["--resize", "5x-5"],
            ["--resize", "10x20x30"], ["--resize", "10x20:"], ["--resize", "10x20:fit:fit"],
            ["--resize", "10x20:glow"],
            ["--resize", "99999999999999999999x1"], ["--resize", "65501x1"], ["--resize", ":"], ["--resize"],
            ["--format", "tiff"], ["--format", ""], ["--quality", "0"], ["--quality", "101"], ["--quality", "high"],
            ["--apply", "glow"], ["--apply", "blur"], ["--apply", "blur:nan"], ["--apply", "circle:3"],
            ["--colors", "1"], ["--apply", "tint:12345"], ["--apply", "tint:+12345"], ["--apply", "smartcrop:0x9"],
            ["--apply", "pad:1e300"],
            ["--background", "white"], ["--watermark", "mark.png"], ["--contact-sheet", "a.png", "--cache-info"],
            ["--level", "10"], ["--concurrency", "0"], ["--concurrency", "1001"], ["--concurrency", "-1"],
            ["--concurrency", "3.5"], ["--timeout", "0"], ["--timeout", "nan"], ["--timeout", "inf"],
            ["--timeout", "-1"], ["--timeout", "86401"], ["--max-bytes", "0"], ["--max-bytes", "9999999999999999999"],
            ["--max-bytes", "9223372036854775807k"], ["--max-bytes", "18446744073709552k"],
            ["--max-pixels", "0"], ["--out", ""], ["--out"], ["--out", "--json"], ["--bogus"], ["-x"], ["--json=yes"],
            ["--Json"], ["--retry", "-1"], ["--proxy", "localhost:3128"], ["--proxy", "ftp://a/"], ["--header", "A"],
            ["--header", ":1"], ["--completions", "csh"], ["--cache-trim", "1T"], ["--name", "a/b"], ["-o"],
        ] {
            let error = expectError(UsageError.self, "\(words)") { try Options(parsing: words) }
            expectEqual(error?.message.contains(words[0]), true, "\(words)")
        }
        // A template that leads elsewhere or has an unknown field.
        for text in ["a/b", ".hidden", "{stem", "{Stem}", "{size}", "a\0"] {
            expectError(UsageError.self, "\(text)") { try NameTemplate(text) }
        }
        let password = expectError(UsageError.self) { try Options(parsing: ["--user", "secret"]) }
        expectEqual(password?.message.contains("secret"), false)
        let control = expectError(UsageError.self) { try Options(parsing: ["--\u{1B}[31m"]) }
        expectEqual(control?.message, #"unknown option --\u{1B}[31m"#)
    }

    @Test func `options that contradict each other are refused, and one file takes one picture`() throws {
        for words in [
            ["-o", "a", "--out", "b"], ["-o", "a", "--name", "b"], ["-o", "-", "--json"], ["-o", "a/"], ["--out="],
            ["--info", "-o", "a"], ["--info", "--show"], ["--show", "--json"], ["--show", "-q"], ["-s", "-o", "-"],
        ] {
            expectError(UsageError.self, "\(words)") { try Options(parsing: words) }
        }
        let options = try Options(parsing: ["-o", "a", "http://a/", "http://b/"])
        expectError(UsageError.self) { try Job.list(options) }
        expectError(UsageError.self) { try Job.list(Options(parsing: ["-o", "a"])) }
        try expectEqual(Job.list(Options(parsing: ["-o", "a", "http://a/", "http://a/"])).count, 1)
    }

    @Test func `what is shown is written as well where a place for files is named`() throws {
        for (words, writes) in [
            ([], true), (["--show"], false), (["--show", "-o", "a.png"], true), (["--show", "--out", "a"], true),
            (["-o", "a.png"], true),
        ] as [([String], Bool)] {
            try expectEqual(Options(parsing: words).writesFiles, writes, "\(words)")
        }
    }

    @Test func `the name of the file decides its format, and --format where the name says nothing`() throws {
        let format = { (words: String) in
            let options = try Options(parsing: words.split(separator: " ").map(String.init))
            return (options.format, options.fileFormat)
        }
        // What comes in the format stays as it came, so it is decided when it has come.
        #expect(try format("-o a.webp") == (.original, .webp()))
        #expect(try format("-o a.b.JPG") == (.original, .jpeg()))
        #expect(try format("--name {stem}-{hash}.jpeg") == (.original, .jpeg()))
        // What is made is made in it.
        #expect(try format("--resize 8x8 -o a.png") == (.png, nil))
        #expect(try format("-o a.jpeg --quality 5") == (.jpeg(quality: 5), nil))
        #expect(try format("-o a.webp --format webp --quality 5") == (.webp(quality: 5), nil))
        for name in ["a", "-", "a.webp/b", "a.txt", "/dev/null"] {
            #expect(try format("-o \(name)") == (.original, nil))
            #expect(try format("-o \(name) --format png") == (.png, nil))
        }
    }

    @Test(arguments: [
        (["-o", "a.webp", "--format", "png"], "png"), (["--format", "original", "-o", "a.webp"], "original"),
        (["-o", "a.jpg", "--format", "gif"], "gif"), (["--name", "{hash}.png", "--format", "jpeg"], "jpeg"),
    ])
    func `a name and --format that contradict each other are refused, with what to do`(words: [String], format: String)
        throws
    {
        let error = try required(expectError(UsageError.self) { try Options(parsing: words) })
        expect(error.message.contains("--format \(format)"))
        expect(error.message.contains("leave --format out, or name the file"))
    }
}
