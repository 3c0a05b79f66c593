// SPDX-License-Identifier: MIT
import ImageCoding
import WebImageTesting

extension Family {
    static let peakMemory = Family(
        name: "peak-memory",
        summary: "the most memory of a thumbnail of 12 megapixels, against 32 MB, and of a GIF written as WebP frame by"
            + " frame, against three frames",
        isOnRequest: true
    ) { _, show in
        PeakMemory.prepare()
        let coders = ImageCoders.default
        let painting = try Painting.opaque(width: 4_000, height: 3_000)
        let files = [
            ("jpeg", try Photograph.twelveMegapixels()), ("png", try coders.encode(painting, as: .png(level: 1))),
            ("gif", try coders.encode(painting, as: .gif(isDithered: false))),
        ]
        for (name, file) in files {
            let options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 256, height: 256)))
            let peak = try await PeakMemory.of { blackHole(try coders.decode(file, options: options)) }
            show(Row("peak-thumbnail-\(name)", peak, against: "32 MB", 32e6, by: .bytes, atMost: 1))
        }
        for count in [6, 24] {
            let file = try ImageFactory.encodedAnimation(width: 1_280, height: 720, frames: count, seed: 3, as: .gif)
            let frames = 3.0 * 1_280 * 720 * 4
            let peak = try await PeakMemory.of { blackHole(try coders.transcode(file, as: .webp(effort: 0))) }
            show(Row("peak-transcode-\(count)", peak, against: "three frames", frames, by: .bytes, atMost: 1))
        }
    }
}
