// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("ImageCoders")
struct ImageCodersTests {
    /// Takes files that begin with its name and makes one pixel of its colour out of them.
    private struct Stub: ImageDecoding, ImageEncoding {
        let name: String
        let value: UInt8

        var format: ImageFormat { ImageFormat(name: name, mimeType: "image/x-\(name)", fileExtension: name) }

        func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { bytes.starts(with: name.utf8) }

        func canEncode(_ format: ImageFormat) -> Bool { format == self.format }

        func properties(of bytes: [UInt8], options: DecodeOptions) -> ImageProperties {
            ImageProperties(format: format, width: 1, height: 1, frameCount: 1, hasAlpha: false)
        }

        func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
            try DecodedImage(width: 1, height: 1, frames: [.init(pixels: [value, 0, 0, 255])], hasAlpha: false)
        }

        func encode(_ image: DecodedImage, as format: EncodedFormat) -> [UInt8] { Array(name.utf8) }
    }

    @Test func `the first coder that accepts a file or a format is used`() throws {
        var coders = ImageCoders.default
        coders.decoders.insert(contentsOf: [Stub(name: "qoi", value: 1), Stub(name: "qo", value: 2)], at: 0)
        try expectEqual(coders.decode(Array("qoi".utf8)).frames[0].pixels[0], 1)
        try expectEqual(coders.decode(Array("qo!".utf8)).frames[0].pixels[0], 2)
        try expectEqual(coders.properties(of: Array("qo!".utf8)).format.name, "qo")
        expectImageError { try ImageCoders.default.decode(Array("qoi".utf8)) }
        // A coder at the front replaces that of a known format.
        coders.decoders.insert(Stub(name: "GIF", value: 9), at: 0)
        try expectEqual(coders.decode(Fixture.named("still.gif").bytes).frames[0].pixels[0], 9)
        // A custom coder encodes a custom format.
        let stub = Stub(name: "qoi", value: 1)
        let picture = ImageFactory.picture(width: 4, height: 4, seed: 1)
        coders.encoders.append(stub)
        try expectEqual(coders.encode(picture, as: EncodedFormat(stub.format)), Array("qoi".utf8))
        expectImageError(.unsupportedFormat) {
            try ImageCoders.default.encode(picture, as: EncodedFormat(stub.format))
        }
    }

    @Test(arguments: ImageFormatTests.signatures)
    func `a known format without a coder is named`(format: ImageFormat, signature: [UInt8]) {
        let coders = ImageCoders(
            decoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder(), BMPCoder(), ICOCoder()], encoders: [])
        guard ![.jpeg, .png, .gif, .webp, .bmp, .ico].contains(format) else { return }
        let error = expectImageError(.unsupportedFormat) { try coders.decode(signature) }
        expectEqual(error?.message.contains(format.name), true)
    }

    #if !TIFF && !HEIF && !JPEGXL
    @Test(arguments: [
        (ImageFormat.tiff, "the package trait TIFF and install libtiff-dev"),
        (.heic, "the package trait HEIF and install libheif-dev"),
        (.avif, "the package trait HEIF and install libheif-dev"),
        (.jpegXL, "the package trait JPEGXL and install libjxl-dev"),
    ])
    func `a format that is not built in says which trait brings it`(format: ImageFormat, hint: String) {
        let options = DecodeOptions(declaredFormat: format)
        let error = expectImageError { try ImageCoders.default.decode([1, 2, 3], options: options) }
        expectEqual(error?.message.contains(hint), true)
        guard format == .avif else { return }
        let picture = ImageFactory.picture(width: 4, height: 4, seed: 1)
        let written = expectImageError {
            try ImageCoders.default.encode(picture, as: EncodedFormat(format))
        }
        expectEqual(written?.message.contains(hint), true)
    }
    #endif

    @Test func `a declared format is used without a signature, and properties need the header only`() throws {
        let noise = ImageFactory.randomBytes(count: 100, seed: 1)
        expectImageError(.unsupportedFormat) {
            try ImageCoders.default.decode(noise, options: DecodeOptions(declaredFormat: .raw))
        }
        let gif = try ImageFactory.encoded(width: 8, height: 8, seed: 1, as: .gif)
        try expectEqual(ImageCoders.default.decode(gif, options: DecodeOptions(declaredFormat: .png)).width, 8)
        expectImageError(.malformed) {
            try ImageCoders.default.decode(noise, options: DecodeOptions(declaredFormat: .png))
        }
        for name in ["baseline-420.jpg", "rgba8.png", "lossy.webp", "still.gif"] {
            let bytes = try Fixture.named(name).bytes
            let whole = try ImageCoders.default.properties(of: bytes)
            try expectEqual(ImageCoders.default.properties(of: Array(bytes.dropLast(10))).size, whole.size, "\(name)")
        }
    }

    @Test func `a thumbnail without area is refused`() throws {
        let bytes = try Fixture.named("rgba8.png").bytes
        for (width, height) in [(0, 5), (5, 0), (-1, 5), (5, -1), (0, 0)] {
            for mode in [ResizeTransformer.Mode.fit, .fill, .cover, .stretch] {
                let box = PixelSize(width: width, height: height)
                let error = expectImageError(.invalidRequest) {
                    try ImageCoders.default.decode(
                        bytes, options: DecodeOptions(thumbnail: .resize(to: box, mode: mode)))
                }
                expectEqual(error?.message, "A thumbnail of \(width)x\(height) has no pixels.")
            }
        }
    }
}
