// SPDX-License-Identifier: MIT
import CImageShims

/// The status codes of the C functions, as Swift errors.
enum ShimStatus {
    /// The C functions call it between rows, on the calling thread and so in the calling task.
    static let shouldStop: @convention(c) () -> Int32 = { Task.isCancelled ? 1 : 0 }

    /// The policy as the C functions know it.
    static func failOn(_ policy: DamagePolicy) -> Int32 {
        switch policy {
        case .never: Int32(SWI_FAIL_NEVER)
        case .truncated: Int32(SWI_FAIL_ON_TRUNCATED)
        case .anyDamage: Int32(SWI_FAIL_ON_ANY_DAMAGE)
        }
    }

    /// Throws unless the status is `SWI_OK`.
    ///
    /// - Parameter work: The work that may have stopped the function. A function without it was stopped by
    ///   cancellation.
    /// - Throws: ``ImageError``; `CancellationError`.
    static func check(
        _ status: Int32, _ failure: swi_failure, format: ImageFormat, work: DecodingWork? = nil
    ) throws {
        let code: ImageError.Code
        switch Int(status) {
        case SWI_OK: return
        case SWI_STOPPED: throw work?.end ?? CancellationError()
        case SWI_TRUNCATED: code = .truncated
        case SWI_UNSUPPORTED: code = .unsupportedFormat
        case SWI_TOO_LARGE: code = .tooLarge
        case SWI_NO_MEMORY: code = .outOfMemory
        default: code = .malformed
        }
        throw ImageError(code: code, message: "\(format): \(text(failure)).")
    }

    /// Copies the bytes of a C function into an array and frees their memory.
    static func take(_ bytes: inout swi_bytes) -> [UInt8] {
        defer { unsafe swi_bytes_free(&bytes) }
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes.start, count: bytes.count))
    }

    private static func text(_ failure: swi_failure) -> String {
        unsafe withUnsafeBytes(of: failure.message) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
