// SPDX-License-Identifier: MIT
import Testing

@testable import ImageCoding

@Suite
struct WorkTests {
    @Test(arguments: [
        "strips-301.tiff", "picture-301.heic", "picture-alpha-301.avif", "lossy-RGBA-301.jxl", "moving.jxl",
    ])
    func `the work is checked often, and may end at any check, whatever damage is accepted`(name: String) throws {
        let bytes = try #require(Picture.named(name)).bytes
        let decoder = try #require(
            ImageCoders.default.decoder(for: bytes, options: DecodeOptions()) as? any WatchedDecoding)
        let box = ResizeTransformer(size: PixelSize(width: 20, height: 20))
        for options in [DecodeOptions(), DecodeOptions(failOn: .never), DecodeOptions(thumbnail: box)] {
            let whole = DecodingWork(limits: .default, byteCount: bytes.count)
            let image = try decoder.decode(bytes, options, whole)
            #expect(whole.lookCount >= 4)
            for end in 1...whole.lookCount {
                var looks = 0
                let work = DecodingWork(limits: .default, byteCount: bytes.count) {
                    looks += 1
                    return looks >= end
                }
                #expect(throws: CancellationError.self, "look \(end)") { try decoder.decode(bytes, options, work) }
                #expect(looks == end)
            }
            #expect(image.damage == [])
        }
    }
}
