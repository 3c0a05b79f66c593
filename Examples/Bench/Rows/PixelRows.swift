// SPDX-License-Identifier: MIT
import ImageCoding

extension Family {
    /// Every loop over pixels that is this package's own.
    static let pixels = Family(
        name: "pixels", summary: "loops over a megapixel, against 100 megapixels a second"
    ) { effort, show in
        for contender in try loops() {
            let figure = try await measure(effort, contender)[0]
            let ceiling = ceilings[figure.name] ?? 1
            show(Row("pixels-\(figure.name)", figure.cpu, against: "100 MP/s", 0.01, by: .cpu, atMost: ceiling))
        }
    }

    /// The same loops in the debug build beside this one.
    static let debug = Family(
        name: "debug", summary: "pixels and feed in .build/debug/bench, against this build; only when it is named",
        isOnRequest: true
    ) { effort, show in
        let slow = try DebugBuild.rows()
        for contender in try loops() {
            let figure = try await measure(effort, contender)[0]
            guard let seconds = slow["pixels-\(figure.name)"] else { continue }
            let ceiling = debugCeilings[figure.name] ?? 5
            show(
                Row("debug-\(figure.name)", seconds, against: "this build", figure.cpu, by: .cpu, atMost: ceiling))
        }
        try await feed.run(effort) { row in
            guard let seconds = slow[row.name] else { return }
            show(Row("debug-\(row.name)", seconds, against: "this build", row.value, by: .cpu, atMost: 5))
        }
    }

    /// Of codecs and of what asks for the sine of an angle; a file of 12 megapixels is no loop over one.
    private static let ceilings = [
        "rotate-10": 1.5, "encode-gif": 8, "encode-png": 8, "encode-webp": 12, "decode-png": 2.5, "decode-webp": 2,
        "thumbnail-jpeg": 2.7, "thumbnail-png": 2.7,
    ]
    /// Of what hardly does more than touch memory.
    private static let debugCeilings = ["crop": 8.0, "flip": 8, "pad": 60]

    private static func loops() throws -> [Contender] {
        let opaque = try Painting.opaque(width: 1_000, height: 1_000)
        let clear = try Painting.translucent(width: 1_000, height: 1_000)
        let file = try Photograph.twelveMegapixels()
        let half = PixelSize(width: 500, height: 500)
        let png = try ImageCoders.default.encode(clear, as: .png(level: 1))
        let webp = try ImageCoders.default.encode(clear, as: .losslessWebP)
        let gif = try ImageCoders.default.encode(opaque, as: .gif)
        return [
            transforming("resize", opaque, .resize(to: half)),
            transforming("crop", opaque, .crop(to: PixelRect(x: 1, y: 1, width: 900, height: 900))),
            transforming("pad", opaque, .pad(by: 50)),
            transforming("trim", opaque, .trim(tolerance: 255)),
            transforming("flip", opaque, .flip(.horizontal)),
            transforming("rotate-90", opaque, .rotate(degrees: 90)),
            transforming("rotate-10", opaque, .rotate(degrees: 10)),
            transforming("round", opaque, .circle),
            transforming("color", clear, .grayscale),
            transforming("tint", clear, .tint(.white)),
            transforming("tint-multiply", clear, .tint(.white, mode: .multiply)),
            transforming("overlay", opaque, .overlay(clear, named: "bench")),
            transforming("blur", opaque, .blur(sigma: 3)),
            transforming("sharpen", opaque, .sharpen()),
            encoding("encode-gif", opaque, .gif),
            encoding("encode-png", clear, .png(level: 1)),
            encoding("encode-webp", clear, .webp(quality: 80)),
            encoding("encode-jpeg", clear, .jpeg(quality: 80)),
            decoding("decode-gif", gif, DecodeOptions()), decoding("decode-png", png, DecodeOptions()),
            decoding("decode-webp", webp, DecodeOptions()),
            decoding("thumbnail-jpeg", file, DecodeOptions(thumbnail: .resize(to: half))),
            decoding("thumbnail-png", png, DecodeOptions(thumbnail: .resize(to: half))),
        ]
    }
}

private func encoding(_ name: String, _ image: DecodedImage, _ format: EncodedFormat) -> Contender {
    Contender(name) { count in
        for _ in 0..<count { blackHole(try ImageCoders.default.encode(image, as: format)) }
    }
}
