// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import TestSupport
import Testing

@testable import SDWebImageCache
@testable import WebImage

/// The names that SDWebImage gives to the files of its disk cache.
struct SDWebImageNameTests {
    /// The test suite of RFC 1321, appendix A.5, and texts around the length of a block.
    private static let digests: [(String, String)] = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "d174ab98d277d9f5a5611c2c9f419d9f"
        ),
        (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
        (String(repeating: "x", count: 55), "04364420e25c512fd958a70738aa8f72"),
        (String(repeating: "x", count: 56), "668a72d5ba17f08e62dabcafad6db14b"),
        (String(repeating: "x", count: 64), "c1bb4f81d892b2d57947682aeb252456"),
    ]

    @Test
    func `the name is MD5 of the key, or of a program's own, and the extension of its path, or of its original`() {
        for (text, expected) in Self.digests { expectEqual(SDWebImageName.md5(Array(text.utf8)), expected, "\(text)") }
        for (key, expected) in Self.names { expectEqual(SDWebImageName(CacheKey(key)).file, expected, "\(key)") }
        let named = SDWebImageName(CacheKey("\0key\0\u{39}:picture.1"))
        expectEqual(named, SDWebImageName(CacheKey("picture.1")))
        expectEqual(named.suffix, ".1")
        let original = CacheKey("https://e.org/a.png")
        let variant = CacheKey(original, suffix: "\0variant\0n:resize(1,2)")
        expect(SDWebImageName(variant).digest != SDWebImageName(original).digest)
        expectEqual(SDWebImageName(variant).suffix, ".png")
    }

    /// A key, and the name of its file.
    private static let names: [(String, String)] = [
        ("http://example.com/image.png", "dff8cd3202a7f9a9529aff84233be568.png"),
        ("https://e.org/a", "f2cc75f84c571810ee005bb89924b8d1"),
        ("https://e.org/a.png?x=1#f", "58bdd6ee80dbb5e83e1a21fe11679e91.png"),
        ("folder/picture.JPEG", "0a8fd9ba0b166a9da05f5c492e8f8ecf.JPEG"),
        ("plain key", "a4c06d018ec2a32bcc9ce658ed74a867"),
    ]

    @Test func `no key leads out of the folder, every name fits, and other files are no entries`() {
        for key in [
            "https://e.org/a.p%2Fng", "https://e.org/a.p%00ng", "a./../../etc/passwd", "https://e.org/a.%2e%2e%2fx",
            "x.\0y", "x.a:b",
            "x." + String(repeating: "e", count: 223), "x." + String(repeating: "é", count: 120), "..", "a/..", ".",
        ] {
            let name = SDWebImageName(CacheKey(key)).file
            expect(!name.contains { "/\0:".contains($0) } && name.utf8.count <= 255, "\(key): \(name)")
            expect(SDWebImageName.isEntry(name), "\(key): \(name)")
        }
        for name in ["", "tmp", "Info.plist", "0123456789ABCDEF0123456789abcdef.png", ".swift-web-image"] {
            expect(!SDWebImageName.isEntry(name), "\(name)")
            expect(!SDWebImageName.isEntry(name + "0123456789abcdef0123456789abcdefx"), "\(name)")
        }
        // What begins with its only dot has no extension.
        expectEqual(["a/.png", "a.b/c", "a/b.png"].map(SDWebImageName.pathExtension(of:)), ["", "", "png"])
    }

    /// A request, and the key that SDWebImage gives to its picture.
    private static let transformed: [(String, [any ImageTransforming], String)] = [
        (
            "https://e.org/image.png", [.resize(to: PixelSize(width: 100, height: 50))],
            "https://e.org/image-Thumbnail(%7B100.000000,50.000000%7D,1).png"
        ),
        (
            "https://e.org/image", [.resize(to: PixelSize(width: 100, height: 50))],
            "https://e.org/image-Thumbnail({100.000000,50.000000},1)"
        ),
        (
            "https://u:p@e.org/a%20b/i.jpg?x=1#f",
            [
                .resize(to: PixelSize(width: 9, height: 9), mode: .fill, allowsEnlarging: true),
                .flip(.horizontal),
            ],
            "https://u:p@e.org/a%20b/i-SDImageResizingTransformer(%7B9.000000,9.000000%7D,2)-"
                + "SDImageFlippingTransformer(1,0).jpg?x=1"
        ),
        (
            "https://e.org/i.png", [.rotate(degrees: 90), .flip(.vertical)],
            "https://e.org/i-SDImageRotationTransformer(-1.570796,1)-SDImageFlippingTransformer(0,1).png"
        ),
        (
            "https://e.org/i.png",
            [CustomTransformer(key: "SDImageRoundCornerTransformer(5.000000,15,0.000000,(null))") { $0 }],
            "https://e.org/i-SDImageRoundCornerTransformer(5.000000,15,0.000000,(null)).png"
        ),
        (
            "https://e.org/i.png",
            [
                .crop(to: PixelRect(x: 1, y: 2, width: 30, height: 40)), .rotate(degrees: 180), .rotate(degrees: 270),
                .resize(to: PixelSize(width: 9, height: 8), mode: .stretch, allowsEnlarging: true),
                CustomTransformer(key: "Thumbnail(x)") { $0 },
            ],
            "https://e.org/i-SDImageCroppingTransformer(%7B1.000000,2.000000,30.000000,40.000000%7D)-"
                + "SDImageRotationTransformer(3.141593,1)-SDImageRotationTransformer(1.570796,1)-"
                + "SDImageResizingTransformer(%7B9.000000,8.000000%7D,0)-Thumbnail(x).png"
        ),
        (
            "file:///p/i.png", [.resize(to: PixelSize(width: 9, height: 8))],
            "file:///p/i-Thumbnail({9.000000,8.000000},1).png"
        ),
        (
            "https://e.org/i", [CustomTransformer(key: "SDImage\\\n(,)") { $0 }], "https://e.org/i-SDImage\\\n(,)"
        ),
    ]

    @Test func `variants have the keys of SDWebImage where it has their transformers, and names of ours elsewhere`() {
        for (url, transformers, expected) in Self.transformed {
            let key = ImageRequest(URL(string: url)!, transformers: transformers).variantKey
            expectEqual(SDWebImageName.text(of: key), expected)
            expectEqual(SDWebImageName(key), SDWebImageName(CacheKey(expected)))
        }
        var named = ImageRequest(key: "folder/anna.png", transformers: [.flip(.vertical)])
        expectEqual(
            SDWebImageName.text(of: named.variantKey), "folder/anna-SDImageFlippingTransformer(0,1).png")
        named.firstFrameOnly = true
        let others: [ImageRequest] = [
            named, .init(URL(string: "https://e.org/i.png")!, transformers: [.flip(.vertical), .blur(sigma: 2)]),
            .init(
                URL(string: "https://e.org/i.png")!,
                transformers: [.resize(to: PixelSize(width: 9, height: 9), mode: .fill)]),
            .init(URL(string: "https://e.org/i.png")!, transformers: [.rotate(degrees: 45)]),
            // A number that has no text of its own.
            .init(
                URL(string: "https://e.org/i.png")!,
                transformers: [.resize(to: PixelSize(width: 10_000_000_000_000, height: 9))]),
        ]
        for request in others { expectEqual(SDWebImageName.text(of: request.variantKey), request.variantKey.rawValue) }
        let file = ImageRequest(URL(string: "https://e.org/i.png")!, transformers: [.flip(.vertical)]).fileKey(.png)
        expectEqual(SDWebImageName.text(of: file), file.rawValue)
    }
}
