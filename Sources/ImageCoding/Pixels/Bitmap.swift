// SPDX-License-Identifier: MIT
import CImageShims

/// Creation of pixel arrays, and pixel arithmetic that several coders share.
enum Bitmap {
    /// Makes a bitmap. `draw` writes all its bytes or throws.
    ///
    /// - Parameters:
    ///   - size: Both sides at least 1, already checked against the limits.
    ///   - draw: Gets `width * height * 4` uninitialized bytes.
    static func draw(
        _ size: PixelSize, _ draw: (UnsafeMutableBufferPointer<UInt8>) throws -> Void
    ) throws -> [UInt8] {
        let byteCount = size.width * size.height * 4
        return try unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { memory, count in
            // The capacity may be larger than requested.
            let bytes = unsafe UnsafeMutableBufferPointer(rebasing: memory[..<byteCount])
            unsafe HugePages.advise(bytes)
            try unsafe draw(bytes)
            count = byteCount
        }
    }

    /// Makes a bitmap of zeros.
    static func clear(_ size: PixelSize, _ work: DecodingWork) throws -> [UInt8] {
        try unsafe fill(size, work) { part, _ in unsafe part.initialize(repeating: 0) }
    }

    /// Makes a bitmap of its own from pixels that others have, too. Drawing on those would copy them without a pause.
    static func copy(_ pixels: [UInt8], _ size: PixelSize, _ work: DecodingWork) throws -> [UInt8] {
        try unsafe fill(size, work) { part, range in
            _ = unsafe part.initialize(fromContentsOf: pixels[range])
        }
    }

    /// Makes a bitmap in pieces of four megabytes.
    private static func fill(
        _ size: PixelSize, _ work: DecodingWork, _ body: (UnsafeMutableBufferPointer<UInt8>, Range<Int>) -> Void
    ) throws -> [UInt8] {
        try unsafe draw(size) { bytes in
            for start in stride(from: 0, to: bytes.count, by: 1 << 22) {
                try work.look()
                let range = start..<min(start + (1 << 22), bytes.count)
                unsafe body(UnsafeMutableBufferPointer(rebasing: bytes[range]), range)
            }
        }
    }

    /// The pixels of the part of a rectangle that lies inside a bitmap.
    ///
    /// - Throws: `CancellationError`, checked between rows.
    static func cut(_ rect: PixelRect, from pixels: [UInt8], _ size: PixelSize) throws -> [UInt8] {
        if rect == PixelRect(x: 0, y: 0, width: size.width, height: size.height) { return pixels }
        var part = [UInt8]()
        part.reserveCapacity((rect.clipped(to: size)?.size ?? PixelSize(width: 0, height: 0)).bitmapByteCount)
        for (index, row) in rect.rows(in: size).enumerated() {
            if index % 64 == 0 { try Task.checkCancellation() }
            part += pixels[row]
        }
        return part
    }

    /// `value * alpha / 255`, rounded to the nearest.
    static func multiply(_ value: UInt8, _ alpha: UInt8) -> UInt8 {
        let product = UInt32(value) * UInt32(alpha) + 128
        return UInt8(truncatingIfNeeded: (product + (product >> 8)) >> 8)
    }

    /// Premultiplies in place: each colour becomes `colour * alpha / 255`, rounded to the nearest.
    ///
    /// - Returns: Whether any pixel is transparent.
    static func premultiply(_ pixels: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        unsafe pixels.baseAddress.map { unsafe swi_premultiply($0, pixels.count) != 0 } ?? false
    }

    /// Premultiplies in pieces, so that a large bitmap can be cancelled.
    static func premultiply(_ pixels: UnsafeMutableBufferPointer<UInt8>, _ work: DecodingWork) throws -> Bool {
        let piece = 1 << 20
        var hasAlpha = false
        for start in stride(from: 0, to: pixels.count, by: piece) {
            try work.look()
            let part = unsafe pixels[start..<min(start + piece, pixels.count)]
            if unsafe premultiply(UnsafeMutableBufferPointer(rebasing: part)) { hasAlpha = true }
        }
        return hasAlpha
    }

    /// Blends a row of pixels that are not premultiplied over a premultiplied one of the same length.
    static func blend(_ above: UnsafeBufferPointer<UInt8>, over below: UnsafeMutableBufferPointer<UInt8>) {
        precondition(above.count == below.count)
        guard let source = above.baseAddress, let target = below.baseAddress else { return }
        unsafe swi_blend(source, target, above.count)
    }

    /// Whether every alpha is 255.
    static func isOpaque(_ pixels: [UInt8]) -> Bool { unsafe swi_is_opaque(pixels, pixels.count) != 0 }

    /// A copy with `colour * 255 / alpha`, rounded to the nearest; black where alpha is 0.
    ///
    /// Premultiplying the copy gives the pixels back.
    ///
    /// - Throws: `CancellationError`.
    static func unpremultiplied(_ pixels: [UInt8]) throws -> [UInt8] {
        try unsafe changed(pixels) { unsafe swi_unpremultiply($0, $1) }
    }

    /// A copy laid over an opaque colour.
    ///
    /// - Throws: `CancellationError`.
    static func flattened(_ pixels: [UInt8], on background: PixelColor) throws -> [UInt8] {
        let color = [background.red, background.green, background.blue, 255]
        return try unsafe changed(pixels) { unsafe swi_flatten($0, $1, color) }
    }

    /// A copy that is changed in pieces of a megabyte, between which the task may be cancelled.
    ///
    /// - Parameter change: Gets the start of a piece and its number of bytes.
    /// - Throws: `CancellationError`.
    static func changed(
        _ pixels: [UInt8], _ change: (UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws -> [UInt8] {
        try unsafe [UInt8](unsafeUninitializedCapacity: pixels.count) { copy, count in
            for start in stride(from: 0, to: pixels.count, by: 1 << 20) {
                try Task.checkCancellation()
                let end = min(start + (1 << 20), pixels.count)
                let piece = unsafe UnsafeMutableBufferPointer(rebasing: copy[start..<end])
                _ = unsafe piece.initialize(fromContentsOf: pixels[start..<end])
                if let first = piece.baseAddress { unsafe change(first, piece.count) }
            }
            count = pixels.count
        }
    }
}

#if os(Linux)
import Glibc

/// Asks the kernel for huge pages below a large bitmap: page faults are a quarter of the time of a large decode.
enum HugePages {
    static func advise(_ memory: UnsafeMutableBufferPointer<UInt8>) {
        guard memory.count >= 4 << 20, let start = memory.baseAddress else { return }
        let page = max(1, sysconf(Int32(_SC_PAGESIZE)))
        let address = Int(bitPattern: start)
        let first = (address + page - 1) & ~(page - 1)
        let length = (address + memory.count - first) & ~(page - 1)
        // Advice about whole pages inside the buffer. It changes no byte, and its failure has no effect.
        _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: first), length, MADV_HUGEPAGE)
    }
}
#else
/// Other systems choose their page sizes themselves.
enum HugePages {
    static func advise(_ memory: UnsafeMutableBufferPointer<UInt8>) {}
}
#endif
