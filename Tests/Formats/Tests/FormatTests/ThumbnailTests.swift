// SPDX-License-Identifier: MIT
import ImageCoding
import Testing

@Suite
struct ThumbnailTests {
    @Test(arguments: [
        "RGB-None-301.tiff", "tiles-301.tiff", "strips-301.tiff", "RGBA-tiff_lzw-301.tiff", "picture-301.heic",
        "picture-alpha-301.avif",
    ])
    func `a thumbnail is that of the whole picture`(name: String) throws {
        let picture = try #require(Picture.named(name))
        let box = ResizeTransformer(size: PixelSize(width: 60, height: 60))
        let thumbnail = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(thumbnail: box))
        let whole = try box.transform(ImageCoders.default.decode(picture.bytes))
        #expect(similarity(thumbnail.pixels, whole.pixels) == .infinity)
    }
}
