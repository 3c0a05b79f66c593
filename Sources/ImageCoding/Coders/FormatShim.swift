// SPDX-License-Identifier: MIT
#if TIFF || HEIF || JPEGXL
import CImageShims

/// Calls of the C decoders behind package traits, which share a request.
enum FormatShim {
    /// One of the C decoders.
    typealias Decoder = (
        UnsafePointer<UInt8>, Int, UnsafePointer<swi_decode_request>, UnsafeMutablePointer<UInt8>,
        UnsafeMutablePointer<swi_failure>
    ) -> Int32

    /// Draws the rows of a picture.
    ///
    /// - Parameters:
    ///   - size: The size in the header.
    ///   - output: Where the rows go.
    ///   - rows: What the output belongs to, if it has no room for all rows.
    ///   - decoder: Draws the rows.
    /// - Returns: The damage that did not end the drawing.
    static func draw(
        _ bytes: [UInt8], _ size: PixelSize, _ format: ImageFormat, _ options: DecodeOptions, _ work: DecodingWork,
        to output: UnsafeMutableBufferPointer<UInt8>, _ rows: DecodedRows?, _ decoder: Decoder
    ) throws -> ImageDamage {
        var damage: Int32 = 0
        var failure = swi_failure()
        let status = unsafe work.lend { look, context in
            unsafe withUnsafeMutablePointer(to: &damage) { damage in
                unsafe DecodedRows.lend(rows) { drew, rowsContext in
                    var request = unsafe swi_decode_request(
                        width: UInt32(size.width), height: UInt32(size.height),
                        largest: largestAllocation(options.limits), capacity: rows?.capacity ?? size.height,
                        drew: drew, rows: rowsContext, look: look, context: context,
                        fail_on: ShimStatus.failOn(options.failOn), damage: damage)
                    return unsafe bytes.withUnsafeBufferPointer { input in
                        // Neither is empty: the header was read, and both sides are at least one pixel.
                        unsafe decoder(input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
                    }
                }
            }
        }
        try ShimStatus.check(status, failure, format: format, work: work)
        return ImageDamage(rawValue: Int(damage))
    }

    /// The most that a library may allocate at once: the limit, and enough for its own tables.
    static func largestAllocation(_ limits: ImageLimits) -> Int { max(limits.maximumByteCount, 1 << 20) }
}
#endif
