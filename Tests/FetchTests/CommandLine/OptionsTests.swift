import Testing
import WebImage

@testable import fetch

struct OptionsTests {
    @Test func `without options the defaults apply`() throws {
        let options = try Options(parsing: [])
        #expect(options.urls.isEmpty)
        #expect(options.resize == nil)
        #expect(options.format == .original)
        #expect(options.output == "pictures")
        #expect(options.cache == nil)
        #expect(options.usesCache)
        #expect(options.concurrency == 6)
        #expect(options.timeout == nil)
        #expect(!options.allowsPrivate && !options.isInsecure && !options.refreshes)
        #expect(!options.writesJSON && !options.isQuiet && !options.wantsHelp)
    }

    @Test func `every option is parsed`() throws {
        let options = try Options(
            parsing: """
                --resize 800x600:fill --format webp --quality 70 --out o --cache c --no-cache --refresh --input a
                --input - --concurrency 3 --timeout 2.5 --max-bytes 10 --max-pixels 20 --allow-private --insecure
                --json --quiet --help http://a/ http://b/
                """.split(whereSeparator: \.isWhitespace).map(String.init))
        #expect(options.resize == .resize(to: PixelSize(width: 800, height: 600), mode: .fill))
        #expect(options.format == .webp(quality: 70))
        #expect(options.output == "o")
        #expect(options.cache == "c")
        #expect(!options.usesCache)
        #expect(options.refreshes)
        #expect(options.inputs == ["a", "-"])
        #expect(options.concurrency == 3)
        #expect(options.timeout == .seconds(2.5))
        #expect(options.maximumBytes == 10)
        #expect(options.maximumPixels == 20)
        #expect(options.allowsPrivate && options.isInsecure && options.writesJSON && options.isQuiet)
        #expect(options.wantsHelp)
        #expect(options.urls == ["http://a/", "http://b/"])
    }

    @Test func `the quality applies at any place in the command line`() throws {
        #expect(try Options(parsing: ["--quality", "5", "--format", "jpeg"]).format == .jpeg(quality: 5))
        #expect(try Options(parsing: ["--format", "jpeg", "--quality", "5"]).format == .jpeg(quality: 5))
    }

    @Test func `after two dashes everything is a URL`() throws {
        let options = try Options(parsing: ["--json", "--", "--quiet", "-x"])
        #expect(options.urls == ["--quiet", "-x"])
        #expect(!options.isQuiet)
    }

    @Test(arguments: [
        ("10x20", ResizeTransformer.Mode.fit), ("10x20:fit", .fit), ("10x20:fill", .fill), ("10x20:stretch", .stretch),
    ])
    func `a box has a mode`(text: String, mode: ResizeTransformer.Mode) throws {
        let expected = ResizeTransformer.resize(to: PixelSize(width: 10, height: 20), mode: mode)
        #expect(try Options(parsing: ["--resize", text]).resize == expected)
    }

    @Test(arguments: [
        ["--resize", "10"], ["--resize", "10x"], ["--resize", "x"], ["--resize", "0x5"], ["--resize", "5x-5"],
        ["--resize", "10x20x30"], ["--resize", "10x20:"], ["--resize", "10x20:fit:fit"], ["--resize", "10x20:cover"],
        ["--resize", "99999999999999999999x1"], ["--resize", "65501x1"], ["--resize", ":"], ["--resize"],
        ["--format", "tiff"], ["--format", ""], ["--quality", "0"], ["--quality", "101"], ["--quality", "high"],
        ["--concurrency", "0"], ["--concurrency", "1001"], ["--concurrency", "-1"], ["--concurrency", "3.5"],
        ["--timeout", "0"], ["--timeout", "nan"], ["--timeout", "inf"], ["--timeout", "-1"], ["--timeout", "86401"],
        ["--max-bytes", "0"], ["--max-bytes", "9999999999999999999"], ["--max-pixels", "0"],
        ["--out", ""], ["--out"], ["--out", "--json"], ["--bogus"], ["-x"], ["--json=yes"], ["--Json"],
    ])
    func `an invalid word is named`(words: [String]) throws {
        let error = #expect(throws: UsageError.self) { try Options(parsing: words) }
        #expect(try #require(error).message.contains(words[0]))
    }

    @Test func `control characters of an invalid word do not reach the terminal`() throws {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--\u{1B}[31m"]) }
        #expect(error?.message == #"unknown option --\u{1B}[31m"#)
    }
}
