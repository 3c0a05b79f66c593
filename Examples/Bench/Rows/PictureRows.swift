// SPDX-License-Identifier: MIT
import CBenchBaselines
import ImageCoding

extension Family {
    static let decode = Family(
        name: "decode", summary: "a JPEG of 12 megapixels to RGBA, against a plain libjpeg loop in C"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let figures = try await measure(
            effort, decoding("ImageCoders", file, DecodeOptions()), libjpeg("libjpeg in C", file, divisor: 1))
        show(Row("decode-12MP", figures[0], against: figures[1], by: .cpu, atMost: 1.2))
    }

    static let thumbnail = Family(
        name: "thumbnail",
        summary: "a JPEG of 12 megapixels in a smaller box, against libjpeg's scaled decoding alone, and vipsthumbnail"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        for (side, divisor) in [(256, 8), (512, 4), (1_000, 2)] {
            for mode in [ResizeTransformer.Mode.fit, .fill, .stretch] where mode == .fit || side == 256 {
                let box = PixelSize(width: side, height: side)
                let name = "thumbnail-\(side)\(mode == .fit ? "" : "-\(mode)")"
                let ours = decoding("ImageCoders", file, DecodeOptions(thumbnail: .resize(to: box, mode: mode)))
                let figures = try await measure(
                    effort, ours, libjpeg("libjpeg at 1/\(divisor) in C", file, divisor: Int32(divisor)))
                show(Row(name, figures[0], against: figures[1], by: .cpu, atMost: 1.3))
                guard mode == .fit, let rival = try OtherProgram.vipsthumbnail(file, side: side) else { continue }
                defer { rival.remove() }
                let process = try rival.processorTime(repeats: effort.repeats)
                show(
                    Row(
                        name, figures[0].cpu, against: "vipsthumbnail", process, by: .cpu, atMost: 0.5,
                        note: "a whole process"))
            }
        }
        let box = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 256, height: 256)))
        let tagged = try Photograph.ofPhones()
        // The same file, decoded as if it had no profile.
        let keeping = DecodeOptions(thumbnail: box.thumbnail, keepsColors: true)
        let figures = try await measure(
            effort, decoding("of Display P3", tagged, box), decoding("its numbers", tagged, keeping))
        show(Row("thumbnail-256-p3", figures[0], against: figures[1], by: .cpu, atMost: 1.15))
    }

    static let resample = Family(
        name: "resample", summary: "Lanczos on RGBA in memory, against 320 megapixels of the source a second"
    ) { effort, show in
        for (width, height, side) in [(1_920, 1_080, 320), (4_000, 3_000, 256), (4_000, 3_000, 1_000)] {
            let image = try Painting.opaque(width: width, height: height)
            let box = PixelSize(width: side, height: side)
            let figure = try await measure(effort, transforming("ImageCoding", image, .resize(to: box)))[0]
            let pixels = Double(width * height)
            show(
                Row(
                    "resample-\(width)-to-\(side)", figure.cpu, against: "320 MP/s", pixels / 320e6, by: .cpu,
                    atMost: 1,
                    note: "\(Int(pixels / figure.cpu / 1e6)) MP/s"))
        }
    }
}

func decoding(_ name: String, _ file: [UInt8], _ options: DecodeOptions) -> Contender {
    Contender(name) { count in
        for _ in 0..<count { blackHole(try ImageCoders.default.decode(file, options: options)) }
    }
}

func transforming(_ name: String, _ image: DecodedImage, _ transformer: some ImageTransforming) -> Contender {
    Contender(name) { count in
        for _ in 0..<count { blackHole(try transformer.transform(image)) }
    }
}

private func libjpeg(_ name: String, _ file: [UInt8], divisor: Int32) -> Contender {
    Contender(name) { count in
        for _ in 0..<count where unsafe bench_jpeg_decode(file, file.count, divisor) == 0 {
            throw Failure("libjpeg refuses the picture")
        }
    }
}
