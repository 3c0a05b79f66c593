// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding
import SignedAddresses
import TestSupport
import Testing
import WebImage

@testable import ImageServer

@Suite struct AddressTests {
    private static let source = "https://example.com/a.jpg?x=1"
    private static let encoded = Base64URL.encode(Array(source.utf8))
    private static let key = SigningKey(hexadecimal: String(repeating: "01", count: 32))!
    private static let otherKey = SigningKey(hexadecimal: String(repeating: "02", count: 16))!

    private func read(_ target: String, _ reader: AddressReader = AddressReader(allowsUnsigned: true)) -> Result<
        Address, AddressError
    > {
        Result { () throws(AddressError) in try reader.read(target) }
    }

    private func status(_ target: String, _ reader: AddressReader = AddressReader(allowsUnsigned: true)) -> Int {
        if case .failure(let error) = read(target, reader) { error.status } else { 200 }
    }

    @Test(arguments: [
        "plain/\(source)", encoded, "plain/https:%2F%2Fexample.com%2Fa.jpg%3Fx=1",
        "plain/https%3A%2F%2Fexample.com/a.jpg?x=1",
    ])
    func `a source is read in every form`(form: String) throws {
        try expectEqual(read("/w1/unsigned/\(form)").get().source.absoluteString, Self.source)
    }

    @Test func `what is no address is not found, and options and sources that are not clear are refused`() {
        for target in [
            "/", "/w1", "/w1/unsigned", "/w1/unsigned/", "//unsigned/\(Self.encoded)", "w1/unsigned/\(Self.encoded)",
        ] {
            expectEqual(status(target), 404, "\(target)")
        }
        for options in [
            "w0", "w01", "w8193", "w-1", "w+1", "w", "w1.5", "w10,w20", "fit,fill", "png,webp", "q0", "q101",
            "still,still", "fill", "fill,w10", "stretch,h10", "w10,", ",", "w10,top", "w10,h10,fill,top,left",
            "w10,h10,fill,top,g1:1", "w10,h10,fill,g1:101", "w10,h10,fill,g1", "w10,h10,fill,g-1:1", "dpr2",
            "w10,dpr0.9", "w10,dpr5.1", "w10,dpr2.0", "w10,dpr", "w10,bgfff", "w10,bgFFFFFF", "w10,bg+fffff",
            "strip,strip", "w10,exp", "w10,exp1e9", "w10,exp1,q1", "exp9999999999", "W10", "wide",
            "w99999999999999999999", String(repeating: "w1,", count: 100),
        ] as [String] {
            expectEqual(status("/\(options)/unsigned/\(Self.encoded)"), 400, "\(options)")
        }
        for source in [
            "ftp://example.com/a", "file:///etc/passwd", "example.com/a.jpg", "http://", "https:///a", "",
            "http://user@example.com/", "http://user:secret@example.com/", "javascript:alert(1)", "//example.com/a",
        ] {
            let encoded = Base64URL.encode(Array(source.utf8))
            expectEqual(status("/w1/unsigned/\(encoded)"), source.isEmpty ? 404 : 400, "\(source)")
            expectEqual(status("/w1/unsigned/plain/\(source)"), 400, "\(source)")
        }
        // Sources that are not base64url.
        for source in ["\(Self.encoded)=", "\(Self.encoded)==", "+\(Self.encoded)", "\(Self.encoded)?v=2", "a", "____"]
        {
            expectEqual(status("/w1/unsigned/\(source)"), 400, "\(source)")
        }
    }

    /// A source, and the scheme, host, port and rest that the server asks for; `nil` when it is refused.
    @Test(
        arguments: [
            ("http://a.example/x", "http a.example - /x"), ("HTTP://A.Example:8080/x", "http a.example 8080 /x"),
            ("http://a.example", "http a.example - "),
            ("http://a.example?x=//b.example", "http a.example - ?x=//b.example"),
            ("http://a.example#@b.example/x", "http a.example - "), ("http://a.example/x#y", "http a.example - /x"),
            ("http://a.example/x#y#z", "http a.example - /x"), ("http://a.example/x?y#z", "http a.example - /x?y"),
            ("http://[::1]:80/x", "http [::1] 80 /x"), ("http://a.example/ä b", "http a.example - /%C3%A4%20b"),
            ("http://a.example/@b.example", "http a.example - /@b.example"),
            ("http://a.example:@b.example/", nil), ("http://a.example\\@b.example/", nil),
            ("http://a.example\\.b.example/", nil), ("http://a.example:80:90/", nil), ("http://a.example:/", nil),
            ("http://a.example:080/", nil), ("http://a.example:-1/", nil), ("http://a.example:99999/", nil),
            ("http://a.example:8 0/", nil), ("http://a.example%2F@b.example/", nil), ("http://a.example%2Eb/", nil),
            ("http://a.example%00.b.example/", nil), ("http://a.example\t.b/", nil), ("http://a.example\r\n.b/", nil),
            ("http://a.example\u{0}/", nil), ("http://ａ.example/", nil), ("http://a。example/", nil),
            ("http://[::1/x", nil), ("http://::1/x", nil), ("http://[::1]b.example/", nil),
            ("http://[::1%25eth0]/", nil),
            ("http:////a.example/x", nil), ("http:/a.example/", nil), ("http:\\\\a.example/", nil),
            ("http://?a.example", nil),
            ("http://#a.example", nil), (" http://a.example/", nil), ("http ://a.example/", nil), ("s3://other/x", nil),
            ("s3://pictures/x", "s3 pictures - /x"), ("s3://pictures/x#y", nil), ("s3://pictures@other/x", nil),
            ("s3://other%2Fpictures/x", nil), ("s3://pictures:80@other/x", nil),
        ] as [(String, String?)])
    func `a source names the host that stands in it, or is refused`(source: String, expected: String?) throws {
        let reader = AddressReader(allowsUnsigned: true, buckets: ["pictures"])
        let address = try? read("/w1/unsigned/\(Base64URL.encode(Array(source.utf8)))", reader).get()
        let parts = address.flatMap { URLComponents(url: $0.source, resolvingAgainstBaseURL: false) }
        let found = parts.map { parts in
            let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
            return "\(parts.scheme?.lowercased() ?? "") \(parts.percentEncodedHost?.lowercased() ?? "") "
                + "\(parts.port.map { "\($0)" } ?? "-") \(parts.percentEncodedPath)\(query)"
        }
        expectEqual(found, expected)
        expectNil(address?.source.fragment)
    }

    @Test func `options are read, and are what is done to the pixels`() throws {
        let options = try PictureOptions("q75,webp,h20,fill,w10,still")
        expectEqual(options.width, 10)
        expectEqual(options.height, 20)
        expectEqual(options.mode, .fill)
        expectEqual(options.format, .webp)
        expectEqual(options.quality, 75)
        expect(options.isStill)
        try expect(PictureOptions("auto").transformers.isEmpty)
        let outputs: [(String, Bool, OutputFormat)] = [
            ("q7", true, .webp(quality: 7)), ("q7", false, .original), ("original", true, .original),
            ("webp,q7", false, .webp(quality: 7)), ("jpeg,q7", true, .jpeg(quality: 7)), ("gif", true, .gif),
            ("png", true, .encoded(.apng)), ("webp", false, .webp(quality: 80)),
        ]
        for (options, acceptsWebP, output) in outputs {
            try expectEqual(PictureOptions(options).output(acceptsWebP: acceptsWebP), output, "\(options)")
        }
        for (options, key) in [
            ("w10,h10,fill,bottomright", "resize(10x10,fill,1.0:1.0)"),
            ("w10,h10,fill,g30:60", "resize(10x10,fill,0.3:0.6)"),
            ("w10,h10,cover", "resize(10x10,cover)"),
            ("w10,dpr1.5", "resize(15x65500,fit)"), ("w8192,dpr5", "resize(8192x65500,fit)"),
            ("w8000,h4000,fill,dpr5", "resize(8192x4096,fill)"),
            ("w4000,h8000,stretch,dpr5", "resize(4096x8192,stretch)"), ("w8192,h1,dpr5", "resize(8192x1,fit)"),
            ("strip", "resize(65500x65500,fit)"), ("bg102030", "custom(over#102030)"), ("original", ""),
        ] {
            try expectEqual(PictureOptions(options).transformers.map(\.key).joined(), key, "\(options)")
        }
    }

    @Test func `an address is refused from its end on, and the end is signed`() throws {
        let reader = AddressReader(keys: [Self.key], presets: ["card": try PictureOptions("w640")])
        for options in ["w10,exp1000", "card,exp1000"] {
            let address = try reader.address(options: options, source: Self.source)
            try expectEqual(reader.read(address, at: 999).expiry, 1_000)
            let error = expectError(AddressError.self) { try reader.read(address, at: 1_000) }
            expectEqual(error?.status, 403)
            expectEqual(error?.code, "expiredAddress")
            expectEqual(status(address.replacing("exp1000", with: "exp9999999999"), reader), 403)
        }
    }

    @Test func `a signature is an HMAC of SHA-256, belongs to one address and one key, and a wrong one is refused`()
        throws
    {
        // The value was made with `openssl dgst -sha256 -mac HMAC`.
        expectEqual(Self.key.signature(of: "w10/abc"), "u3CkQgh2I291N1cS5cfTgM_hb0slA5LCIqirKBr82D4")
        let reader = AddressReader(keys: [Self.key])
        for isPlain in [true, false] {
            let address = try reader.address(options: "w10", source: Self.source, isPlain: isPlain)
            expectEqual(status(address, reader), 200)
            expectEqual(status(address.replacing("/w10/", with: "/w11/"), reader), 403)
            expectEqual(status(address + "x", reader), 403)
            expectEqual(status(address, AddressReader(keys: [Self.otherKey])), 403)
            expectEqual(status(address, AddressReader()), 403)
        }
        for wrong in ["", "unsigned", "A", String(repeating: "A", count: 43), String(repeating: "A", count: 44)] {
            expectEqual(status("/w10/\(wrong)/\(Self.encoded)", reader), 403, "\(wrong)")
        }
        // A key that is short or not hexadecimal is none.
        for text in [
            "", "01", String(repeating: "0", count: 31), String(repeating: "0g", count: 16),
            String(repeating: "+1", count: 16),
        ] {
            expectNil(SigningKey(hexadecimal: text), "\(text)")
        }
    }

    @Test func `both keys of a rotation are valid, and the first one signs`() throws {
        // What the server refuses is not made.
        for (options, source) in [("w0", Self.source), ("glow", Self.source), ("w10", "https://a:b@example.com/")] {
            expectError(AddressError.self) {
                try AddressReader(keys: [Self.key]).address(options: options, source: source)
            }
        }
        let old = try AddressReader(keys: [Self.key]).address(options: "w10", source: Self.source)
        let both = AddressReader(keys: [Self.otherKey, Self.key])
        expectEqual(status(old, both), 200)
        let new = try both.address(options: "w10", source: Self.source)
        expect(new != old)
        expectEqual(status(new, both), 200)
        expectEqual(status(new, AddressReader(keys: [Self.key])), 403)
    }

    @Test func `a preset stands for options, alone when only presets are allowed`() throws {
        var reader = AddressReader(allowsUnsigned: true, presets: ["card": try PictureOptions("w640,h480,fill")])
        try expectEqual(read("/card/unsigned/\(Self.encoded)", reader).get().options.width, 640)
        expectEqual(status("/w10/unsigned/\(Self.encoded)", reader), 200)
        reader.allowsPresetsOnly = true
        expectEqual(status("/card/unsigned/\(Self.encoded)", reader), 200)
        expectEqual(status("/w10/unsigned/\(Self.encoded)", reader), 404)
    }
}
