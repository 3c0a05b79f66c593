// SPDX-License-Identifier: MIT
import WebImage

extension Option {
    /// How files are written. Each format uses the options that apply to it.
    static let encoding = Group(
        title: "Encoding",
        options: [
            Option("quality", nil, "N", help: "1 to 100, for jpeg and webp (80).") { options, text throws(UsageError) in
                options.encode.quality = try Reading.number(text, of: "--quality", in: 1...100)
            },
            Option("fit-bytes", nil, "N", help: "The best quality whose file has at most N bytes, for jpeg and webp.") {
                options, text throws(UsageError) in
                options.encode.maximumByteCount = try Reading.count(text, of: "--fit-bytes")
            },
            Option("progressive", nil, help: "Passes of growing detail, for jpeg.") { $0.encode.isProgressive = true },
            Option("lossless", nil, help: "Keep every pixel, for webp.") { $0.encode.isLossless = true },
            Option("near-lossless", nil, "N", help: "0 to 100: how exact a smaller lossless webp is (100).") {
                options, text throws(UsageError) in
                options.encode.nearLossless = try Reading.number(text, of: "--near-lossless", in: 0...100)
                options.encode.isLossless = true
            },
            Option("effort", nil, "N", help: "0 to 6, for webp (4).") { options, text throws(UsageError) in
                options.encode.effort = try Reading.number(text, of: "--effort", in: 0...6)
            },
            Option("level", nil, "N", help: "0 to 9, for png (6).") { options, text throws(UsageError) in
                options.encode.compressionLevel = try Reading.number(text, of: "--level", in: 0...9)
            },
            Option("colors", nil, "N", help: "At most N colours, 2 to 256, for png.") {
                options, text throws(UsageError) in
                options.encode.maximumColors = try Reading.number(text, of: "--colors", in: 2...256)
            },
            Option("apng", nil, help: "Write animations as animated png.") { $0.encode.writesAPNG = true },
            Option("first-frame", nil, help: "Write the first frame of an animation alone.") {
                $0.encode.firstFrameOnly = true
            },
            Option("no-dither", nil, help: "Do not approximate missing colours, for gif and png.") {
                $0.encode.isDithered = false
            },
            Option("keep", nil, "PARTS", help: "Keep metadata, for jpeg, png and webp: \(Reading.metadataNames).") {
                options, text throws(UsageError) in
                options.encode.keptMetadata = try Reading.metadata(text, of: "--keep")
            },
            Option("background", nil, "RRGGBB", help: "The colour below transparent pixels, for jpeg (ffffff).") {
                options, text throws(UsageError) in
                guard let color = PixelColor(hex: text) else {
                    throw UsageError(message: "--background takes RRGGBB, not \(text.printable)")
                }
                options.encode.background = color
            },
        ])
}
