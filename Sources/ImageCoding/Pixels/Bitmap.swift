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
        let piece = 1 << 22
        return try unsafe draw(size) { bytes in
            for start in stride(from: 0, to: bytes.count, by: piece) {
                try work.look()
                let part = unsafe bytes[start..<min(start + piece, bytes.count)]
                unsafe UnsafeMutableBufferPointer(rebasing: part).initialize(repeating: 0)
            }
        }
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
        var alphas: UInt8 = 255
        for offset in stride(from: 0, to: pixels.count - 3, by: 4) {
            let alpha = unsafe pixels[offset + 3]
            if alpha == 255 { continue }
            alphas &= alpha
            unsafe pixels[offset] = multiply(pixels[offset], alpha)
            unsafe pixels[offset + 1] = multiply(pixels[offset + 1], alpha)
            unsafe pixels[offset + 2] = multiply(pixels[offset + 2], alpha)
        }
        return alphas != 255
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
        let source = UnsafeRawBufferPointer(above)
        let target = UnsafeMutableRawBufferPointer(below)
        for offset in stride(from: 0, to: above.count - 3, by: 4) {
            let alpha = unsafe above[offset + 3]
            if alpha == 0 { continue }
            if alpha == 255 {
                let pixel = unsafe source.load(fromByteOffset: offset, as: UInt32.self)
                unsafe target.storeBytes(of: pixel, toByteOffset: offset, as: UInt32.self)
                continue
            }
            for channel in offset..<offset + 3 {
                // A premultiplied colour is at most its alpha, and the added value is at most the rest, so no sum is
                // above 255.
                unsafe below[channel] = multiply(above[channel], alpha) + multiply(below[channel], 255 - alpha)
            }
            unsafe below[offset + 3] = alpha + multiply(below[offset + 3], 255 - alpha)
        }
    }

    /// Whether every alpha is 255.
    static func isOpaque(_ pixels: [UInt8]) -> Bool {
        let bytes = pixels.span
        var alphas: UInt8 = 255
        for offset in stride(from: 3, to: bytes.count, by: 4) { alphas &= bytes[offset] }
        return alphas == 255
    }

    /// A copy with `colour * 255 / alpha`, rounded to the nearest; black where alpha is 0.
    ///
    /// Premultiplying the copy gives the pixels back.
    static func unpremultiplied(_ pixels: [UInt8]) -> [UInt8] {
        var straight = pixels
        unsafe straight.withUnsafeMutableBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count - 3, by: 4) {
                let alpha = unsafe UInt32(bytes[offset + 3])
                if alpha == 255 { continue }
                for channel in offset..<offset + 3 {
                    let value = unsafe UInt32(bytes[channel])
                    unsafe bytes[channel] = alpha == 0 ? 0 : UInt8(min(255, (value * 255 + alpha / 2) / alpha))
                }
            }
        }
        return straight
    }

    /// A copy laid over an opaque colour.
    static func flattened(_ pixels: [UInt8], on background: PixelColor) -> [UInt8] {
        var flat = pixels
        unsafe flat.withUnsafeMutableBufferPointer { bytes in
            for offset in stride(from: 0, to: bytes.count - 3, by: 4) {
                let rest = unsafe 255 - bytes[offset + 3]
                if rest == 0 { continue }
                // A colour above its alpha cannot come from a coder, but a caller may have made one.
                unsafe bytes[offset] = saturate(bytes[offset], multiply(background.red, rest))
                unsafe bytes[offset + 1] = saturate(bytes[offset + 1], multiply(background.green, rest))
                unsafe bytes[offset + 2] = saturate(bytes[offset + 2], multiply(background.blue, rest))
                unsafe bytes[offset + 3] = 255
            }
        }
        return flat
    }

    private static func saturate(_ a: UInt8, _ b: UInt8) -> UInt8 {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? 255 : sum
    }
}
