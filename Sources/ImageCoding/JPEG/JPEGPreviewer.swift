// SPDX-License-Identifier: MIT
import CImageShims
import Locks

extension JPEGCoder: ProgressiveDecoding {
    /// Begins to read a JPEG of several scans. Other ones have no previews of the whole canvas before their end.
    func previewer(for beginning: [UInt8], options: DecodeOptions) throws -> (any ImagePreviewing)? {
        let header = try JPEGHeader(beginning, options)
        guard header.hasSeveralScans else { return nil }
        return try JPEGPreviewer(header, options)
    }
}

/// Reads a JPEG of several scans as it arrives: libjpeg keeps the coefficients, and each preview draws them.
final class JPEGPreviewer: ImagePreviewing {
    /// libjpeg's state. Safe to use: it is freed once, by the deinitialiser, and used by one thread at a time.
    @safe private struct Session: ~Copyable, @unchecked Sendable {
        // Unchecked because only the mutex that holds the session reaches the pointer.
        let codec: OpaquePointer
        var drawnPixelCount = 0

        deinit { unsafe swi_jpeg_preview_free(codec) }
    }

    let byteCount: Int
    private let header: JPEGHeader
    private let options: DecodeOptions
    private let plan: FramePlan
    private let session: Mutex<Session>

    init(_ header: JPEGHeader, _ options: DecodeOptions) throws {
        let limits = options.limits
        try limits.checkSides(header.size)
        plan = JPEGCoder.plan(for: header, options, turnsWhileDrawing: false)
        try plan.check(header.size, limits, rows: plan.drawn.height)
        byteCount = JPEGCoder.decodingByteCount(header, plan).saturatingAdd(plan.drawn.bitmapByteCount)
        try limits.check(byteCount: byteCount)
        (self.header, self.options) = (header, options)
        var request = swi_jpeg_preview_request(
            denominator: Int32(plan.denominator), width: Int32(header.size.width), height: Int32(header.size.height),
            max_scans: Int32(clamping: limits.maximumScanCount))
        guard let codec = unsafe swi_jpeg_preview_create(&request) else {
            throw ImageError(code: .outOfMemory, message: "jpeg: out of memory.")
        }
        session = Mutex(unsafe Session(codec: codec))
    }

    /// The pixels that were read and drawn so far, each scan counted.
    var drawnPixelCount: Int { session.withLock { $0.drawnPixelCount } }

    func preview(of bytes: [UInt8]) throws -> DecodedImage? {
        try session.withLock { session in
            var limits = options.limits
            limits.maximumDrawnPixelCount -= min(session.drawnPixelCount, limits.maximumDrawnPixelCount)
            let work = DecodingWork(limits: limits, byteCount: bytes.count)
            defer { session.drawnPixelCount = session.drawnPixelCount.saturatingAdd(work.drawnPixelCount) }
            let scans = try read(bytes, session, work)
            guard scans > 0 else { return nil }
            let pixels = try draw(scans, session, work)
            return DecodedImage(
                plan.result, pixels: try plan.finish(pixels, plan.resampler()), hasAlpha: false,
                damage: [.missingEnd, .missingPixels])
        }
    }

    /// - Returns: The number of scans that are whole.
    private func read(_ bytes: [UInt8], _ session: borrowing Session, _ work: DecodingWork) throws -> Int32 {
        let codec = unsafe session.codec
        var scans: Int32 = 0
        try unsafe Shim.call(.jpeg, work) { failure in
            unsafe work.lend { unsafe swi_jpeg_preview_read(codec, bytes, bytes.count, $0, $1, &scans, failure) }
        }
        return scans
    }

    private func draw(_ scan: Int32, _ session: borrowing Session, _ work: DecodingWork) throws -> [UInt8] {
        let codec = unsafe session.codec
        return try unsafe Bitmap.draw(plan.drawn) { output in
            try unsafe Shim.call(.jpeg, work) { failure in
                // Both sides are at least one pixel.
                unsafe work.lend { unsafe swi_jpeg_preview_draw(codec, scan, output.baseAddress!, $0, $1, failure) }
            }
        }
    }
}
