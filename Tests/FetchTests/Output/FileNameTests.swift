// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImage
import WebImageTesting

@testable import fetch

struct FileNameTests {
    private func name(_ text: String, _ format: ImageFormat = .png, _ words: [String] = []) throws -> String {
        FileName(try Options(parsing: words)).name(
            for: text, url: try required(URL(string: text)), format: format, width: 30, height: 20)
    }

    @Test func `a name is readable, the same in every run, and has the extension of its format`() throws {
        try expectEqual(name("http://a/holiday/Beach_1-2.jpeg", .jpeg), "Beach_1-2-833e9a5606.jpg")
        // The readable characters of the last path component are kept.
        for (url, stem) in [
            ("http://a/photo.2024.png", "photo_2024"), ("http://a/dir/", "dir"), ("http://a/image?id=5", "image"),
            ("http://a/фото.png", "фото"), ("http://a/%E5%86%99%E7%9C%9F.png", "写真"), ("http://a/a%20b.png", "a_b"),
            ("http://a/x%2Fy.png", "y"),
        ] {
            try expect(name(url).hasPrefix(stem + "-"), "\(url)")
        }
        try expect(name("http://a/p.png", .jpeg).hasSuffix(".jpg"))
        try expect(name("http://a/p.exe", .webp).hasSuffix(".webp"))
    }

    @Test(arguments: [
        "http://a", "http://a/", "http://a/.png", "http://a/...", "http://a/../../etc/passwd",
        "http://a/%2e%2e%2f%2e%2e",
        "http://a/%00.png", "http://a/%0A%1B.png", "http://a/%FF%FE.png", "http://a/%E2%80%AE.png", "http://a/%5C..%5C",
        "http://a/~root", "http://a/-rf", "http://a/CON.png", "../../etc/passwd", "http://a/a:b|c*d?.png",
        "http://a/%F0%9F%98%80.png", "http://a/" + String(repeating: "x", count: 10_000),
        "http://a/" + String(repeating: "%E5%86%99", count: 3_000) + ".png",
    ])
    func `a name is safe whatever the URL`(url: String) throws {
        let name = try name(url)
        expect(name.utf8.count, <=, 255)
        expect(name.hasSuffix(".png"))
        expectEqual(name.filter { $0 == "." }.count, 1)
        let first = try required(name.first)
        expect(first.isLetter || first.isNumber)
        let isPlain = name.dropLast(4).unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType == .decimal || $0 == "-" || $0 == "_"
        }
        expect(isPlain)
    }

    @Test func `two URLs never share a name`() throws {
        var urls = ["http://a/p.png", "http://b/p.png", "http://a/q/p.png", "http://a/P.png", "http://a/p.png#x"]
        urls += ["http://a/p.jpg", "http://a/p", "https://a/p.png", "http://a:80/p.png", "http://a/%70.png"]
        urls += (0..<1_000).map { "http://a/p.png?\($0)" }
        expectEqual(Set(try urls.map { try name($0).lowercased() }).count, urls.count)
    }

    @Test func `two pictures of standard input that differ anywhere have two keys`() {
        let start = ImageFactory.randomBytes(count: 1_000, seed: 1)
        let keys = [start, start + [1], start + [2]].map { LocalPicture.input($0).key(LocalPicture.inputURL) }
        expectEqual(Set(keys).count, 3)
    }

    @Test func `each variant of a picture has a name of its own, with the size that it has`() throws {
        let lines = [
            "", "--resize 8x8", "--resize 8x", "--resize x8", "--resize 8x8:fill", "--format png", "--format jpeg",
            "--format jpeg --quality 70", "--resize 8x8 --format png", "--format webp", "--format gif",
        ]
        let names = try lines.map { try name("http://a/b.png", .png, $0.split(separator: " ").map(String.init)) }
        expectEqual(Set(names).count, lines.count)
        // It is 30 by 20 and does not grow.
        for box in ["800x800", "800x", "800x800:fill"] {
            try expect(name("http://a/b.png", .png, ["--resize", box]).hasPrefix("b-30x20-"))
        }
        try expect(!name("http://a/b.png").contains("30x20"))
    }

    @Test func `a template names the files`() throws {
        let fields = ["--name", "x_{stem}_{width}x{height}.{format}"]
        try expectEqual(name("http://a/b.png", .jpeg, fields), "x_b_30x20.jpg")
        let hashes = try [[], ["--resize", "8x8"]].map { try name("http://a/b.png", .png, ["--name", "{hash}"] + $0) }
        expectEqual(Set(hashes).count, 2)
        expect(hashes.allSatisfy { $0.count == 10 })
    }
}
