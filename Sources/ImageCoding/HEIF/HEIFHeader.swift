// SPDX-License-Identifier: MIT
#if HEIF
import CImageShims

/// What the boxes of a HEIF file say of its primary picture.
struct HEIFHeader {
    let format: ImageFormat
    /// As shown: libheif turns and crops.
    let size: PixelSize
    let hasAlpha: Bool
    private let bytesPerSample: Int
    private let codedSize: PixelSize

    /// Reads the boxes.
    ///
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unsupportedFormat`.
    init(_ bytes: [UInt8], _ options: DecodeOptions) throws {
        format = ImageFormat(sniffing: bytes) ?? options.declaredFormat ?? .heif
        var header = swi_heif_header()
        var failure = swi_failure()
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe input.baseAddress.map { unsafe swi_heif_read_header($0, input.count, &header, &failure) }
                ?? Int32(SWI_TRUNCATED)
        }
        try ShimStatus.check(status, failure, format: format)
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        hasAlpha = header.has_alpha != 0
        bytesPerSample = Int(header.bytes_per_sample)
        codedSize = try HEIFCodedSize(bytes).size
    }

    /// Checks the size that is shown, and the one that is coded.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge`.
    func check(_ limits: ImageLimits) throws(ImageError) {
        try limits.check(width: size.width, height: size.height)
        try limits.check(width: max(codedSize.width, 1), height: max(codedSize.height, 1))
    }

    /// The bitmap or some of its rows, and what libheif takes: the samples that the decoder draws, a copy of them that
    /// is turned or put together, both with alpha, the pixels as RGBA, and what the threads of the decoder take.
    func decodingByteCount(_ plan: FramePlan) -> Int {
        let pixels = max(size.pixelCount, codedSize.pixelCount)
        let samples = pixels.saturatingMultiply((hasAlpha ? 4 : 3) * 2 * bytesPerSample)
        return plan.drawingByteCount(inOrder: true).saturatingAdd(plan.finishingByteCount).saturatingAdd(samples)
            .saturatingAdd(size.bitmapByteCount.saturatingMultiply(bytesPerSample)).saturatingAdd(24 << 20)
    }
}
#endif
