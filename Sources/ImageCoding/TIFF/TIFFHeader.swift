// SPDX-License-Identifier: MIT
#if TIFF
import CImageShims

/// What the first directory of a TIFF says.
struct TIFFHeader {
    /// As stored.
    let size: PixelSize
    let orientation: ImageOrientation
    let hasAlpha: Bool
    let isLossless: Bool
    /// The rows that libtiff draws at once.
    let band: Int
    /// The bytes that libtiff holds to draw a band.
    let workingByteCount: Int

    /// Reads the header.
    ///
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unsupportedFormat`.
    init(_ bytes: [UInt8], _ limits: ImageLimits) throws {
        var header = swi_tiff_header()
        var failure = swi_failure()
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            // A file with a signature is not empty.
            unsafe input.baseAddress.map {
                unsafe swi_tiff_read_header(
                    $0, input.count, FormatShim.largestAllocation(limits), &header, &failure)
            } ?? Int32(SWI_TRUNCATED)
        }
        try ShimStatus.check(status, failure, format: .tiff)
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        orientation = ImageOrientation(rawValue: Int(header.orientation)) ?? .up
        hasAlpha = header.has_alpha != 0
        isLossless = header.is_lossless != 0
        band = Int(header.band)
        workingByteCount = Int(clamping: header.byte_count)
    }
}
#endif
