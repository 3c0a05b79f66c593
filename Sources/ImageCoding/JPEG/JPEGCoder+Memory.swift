// SPDX-License-Identifier: MIT
extension JPEGCoder {
    /// The bitmap or, for a thumbnail, some rows of it; libjpeg's rows, the coefficients of a file of several scans,
    /// and what the `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try JPEGCoder.header(of: bytes, options)
        return JPEGCoder.decodingByteCount(header, JPEGCoder.plan(for: header, options))
    }

    static func decodingByteCount(_ header: JPEGHeader, _ plan: FramePlan) -> Int {
        plan.drawingByteCount(inOrder: true).saturatingAdd(plan.finishingByteCount)
            .saturatingAdd(header.rowByteCount).saturatingAdd(header.coefficientByteCount)
    }

    /// Alpha laid over the background, the coefficients of a progressive file, and the file twice: libjpeg's and ours.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let pixels = image.size.pixelCount
        // 4:2:0 has one and a half samples a pixel; a sample takes two bytes as a coefficient, and about as many in a
        // file of the best quality.
        let file = pixels.saturatingMultiply(format.options.quality > 90 ? 3 : 2).saturatingAdd(65_536)
        return file.saturatingMultiply(2)
            .saturatingAdd(image.hasAlpha ? image.size.bitmapByteCount : 0)
            .saturatingAdd(format.options.isProgressive ? pixels.saturatingMultiply(4) : 0)
            .saturatingAdd(image.width.saturatingMultiply(200))
    }
}

extension JPEGHeader {
    private var largestFactor: PixelSize {
        PixelSize(width: components.map(\.width).max() ?? 1, height: components.map(\.height).max() ?? 1)
    }

    /// Two bytes for each coefficient of each component in whole blocks, always of the full size; none in a single
    /// scan.
    ///
    /// - Source: libjpeg, jdcoefct.c: `jinit_d_coef_controller`.
    var coefficientByteCount: Int {
        guard hasSeveralScans else { return 0 }
        let largest = largestFactor
        func blocks(_ side: Int, _ factor: Int, of largest: Int) -> Int {
            let blocks = (side * factor + largest * 8 - 1) / (largest * 8)
            return (blocks + factor - 1) / factor * factor
        }
        return components.reduce(0) { sum, factors in
            sum + blocks(size.width, factors.width, of: largest.width)
                * blocks(size.height, factors.height, of: largest.height) * 64 * 2
        }
    }

    /// The rows of blocks that libjpeg upsamples from, each with its neighbours, and its tables.
    var rowByteCount: Int { (size.width + 32) * max(components.count, 1) * largestFactor.height * 12 + 65_536 }
}
