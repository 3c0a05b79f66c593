import CBenchBaselines
import ImageCoding

extension Family {
    static let decode = Family(
        name: "decode", summary: "a JPEG of 12 megapixels to RGBA, against a plain libjpeg loop in C"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let coders = ImageCoders.default
        let figures = try await measure(
            effort,
            Contender("ImageCoders") { count in
                for _ in 0..<count { blackHole(try coders.decode(file, options: DecodeOptions())) }
            },
            libjpeg("libjpeg in C", file, divisor: 1))
        show(Row("decode-12MP", figures[0], against: figures[1]))
    }

    static let thumbnail = Family(
        name: "thumbnail",
        summary: "256 pixels of a JPEG of 12 megapixels, against libjpeg's scaled decoding alone, without resizing"
    ) { effort, show in
        let file = try Photograph.twelveMegapixels()
        let coders = ImageCoders.default
        let options = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 256, height: 256)))
        let figures = try await measure(
            effort,
            Contender("ImageCoders") { count in
                for _ in 0..<count { blackHole(try coders.decode(file, options: options)) }
            },
            libjpeg("libjpeg at 1/8 in C", file, divisor: 8))
        show(Row("thumbnail-256", figures[0], against: figures[1]))
    }
}

private func libjpeg(_ name: String, _ file: [UInt8], divisor: Int32) -> Contender {
    Contender(name) { count in
        for _ in 0..<count where unsafe bench_jpeg_decode(file, file.count, divisor) == 0 {
            throw Failure("libjpeg refuses the picture")
        }
    }
}
