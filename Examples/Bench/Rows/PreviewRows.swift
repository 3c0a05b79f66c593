// SPDX-License-Identifier: MIT
import ImageCoding

extension Family {
    static let previews = Family(
        name: "previews",
        summary: "twenty previews of a progressive JPEG of 12 megapixels while it arrives, against one decode"
    ) { effort, show in
        let painting = try Painting.opaque(width: 4_000, height: 3_000)
        let file = try ImageCoders.default.encode(painting, as: .jpeg(isProgressive: true))
        let options = DecodeOptions(firstFrameOnly: true, thumbnail: .resize(to: PixelSize(width: 512, height: 512)))
        let figures = try await measure(
            effort,
            Contender("ImageCoders", count: 1) { _ in
                let previewer = try ImageCoders.default.previewer(for: file, options: options)
                for part in 1...20 { blackHole(try previewer?.preview(of: Array(file.prefix(file.count * part / 20)))) }
            },
            Contender("one decode", count: 1) { _ in
                blackHole(try ImageCoders.default.decode(file))
            })
        show(Row("previews-20", figures[0], against: figures[1], by: .cpu, atMost: 4))
    }
}
