// SPDX-License-Identifier: MIT
import CImageShims

/// Calls of the C functions, and their status as Swift errors.
enum Shim {
    /// One of the C decoders.
    typealias Decoder = (
        UnsafePointer<UInt8>, Int, UnsafePointer<swi_decode_request>, UnsafeMutablePointer<UInt8>,
        UnsafeMutablePointer<swi_failure>
    ) -> Int32

    /// The C functions call it between rows, on the calling thread and so in the calling task.
    static let shouldStop: @convention(c) () -> Int32 = { Task.isCancelled ? 1 : 0 }

    /// The most that a library may allocate at once: the limit, and enough for its own tables.
    static func largestAllocation(_ limits: ImageLimits) -> Int { max(limits.maximumByteCount, 1 << 20) }

    /// Calls a function, and throws unless it returns `SWI_OK`.
    ///
    /// - Parameter work: The work that may have stopped the function. A function without it was stopped by
    ///   cancellation.
    /// - Throws: ``ImageError``; `CancellationError`.
    static func call(
        _ format: ImageFormat, _ work: DecodingWork? = nil, _ body: (UnsafeMutablePointer<swi_failure>) throws -> Int32
    ) throws {
        var failure = swi_failure()
        let code: ImageError.Code
        switch Int(try unsafe body(&failure)) {
        case SWI_OK: return
        case SWI_STOPPED: throw work?.end ?? CancellationError()
        case SWI_TRUNCATED: code = .truncated
        case SWI_UNSUPPORTED: code = .unsupportedFormat
        case SWI_TOO_LARGE: code = .tooLarge
        case SWI_NO_MEMORY: code = .outOfMemory
        default: code = .malformed
        }
        let text = unsafe withUnsafeBytes(of: failure.message) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw ImageError(code: code, message: "\(format): \(text).")
    }

    /// Calls a function that writes a file.
    static func encode(
        _ format: ImageFormat, _ body: (UnsafeMutablePointer<swi_bytes>, UnsafeMutablePointer<swi_failure>) -> Int32
    ) throws -> [UInt8] {
        var output = unsafe swi_bytes()
        try unsafe call(format) { unsafe body(&output, $0) }
        defer { unsafe swi_bytes_free(&output) }
        return unsafe [UInt8](UnsafeBufferPointer(start: output.start, count: output.count))
    }

    /// Draws the rows of a picture.
    ///
    /// - Parameters:
    ///   - size: The size in the header.
    ///   - height: The rows that are drawn, if not all of them.
    ///   - output: Where the rows go.
    ///   - rows: What the output belongs to, if it has no room for all rows.
    ///   - decoder: Draws the rows.
    /// - Returns: The damage that did not end the drawing.
    static func draw(
        _ format: ImageFormat, _ bytes: [UInt8], _ size: PixelSize, height: Int? = nil,
        to output: UnsafeMutableBufferPointer<UInt8>, _ rows: DecodedRows?, _ options: DecodeOptions,
        _ work: DecodingWork, _ decoder: Decoder
    ) throws -> ImageDamage {
        let failOn =
            switch options.failOn {
            case .never: SWI_FAIL_NEVER
            case .truncated: SWI_FAIL_ON_TRUNCATED
            case .anyDamage: SWI_FAIL_ON_ANY_DAMAGE
            }
        var damage: Int32 = 0
        try unsafe call(format, work) { failure in
            unsafe work.lend { look, context in
                unsafe withUnsafeMutablePointer(to: &damage) { damage in
                    unsafe DecodedRows.lend(rows) { drew, rowsContext in
                        var request = unsafe swi_decode_request(
                            width: UInt32(size.width), height: UInt32(size.height),
                            largest: largestAllocation(options.limits),
                            capacity: rows?.capacity ?? height ?? size.height,
                            drew: drew, rows: rowsContext, look: look, context: context,
                            profile: options.colors?.forDrawing, fail_on: Int32(failOn), damage: damage)
                        // Not empty: both sides are at least one pixel.
                        return unsafe decoder(bytes, bytes.count, &request, output.baseAddress!, failure)
                    }
                }
            }
        }
        return ImageDamage(rawValue: Int(damage))
    }
}
