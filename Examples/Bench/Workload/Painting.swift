// SPDX-License-Identifier: MIT
import CBenchBaselines
import ImageCoding

/// Generated pictures in memory, the same in every run.
enum Painting {
    /// A gradient with noise.
    static func opaque(width: Int, height: Int) throws -> DecodedImage {
        try picture(width: width, height: height, hasAlpha: false)
    }

    /// The same with alpha from left to right, in steps, a quarter of it opaque.
    static func translucent(width: Int, height: Int) throws -> DecodedImage {
        try picture(width: width, height: height, hasAlpha: true)
    }

    private static func picture(width: Int, height: Int, hasAlpha: Bool) throws -> DecodedImage {
        var noise = Noise(seed: 1)
        let noises = (0..<8_192).map { _ in Int(truncatingIfNeeded: noise.next() & 31) }
        let count = width * height * 4
        let pixels = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, used in
            used = count
            var (x, y) = (0, 0)
            for at in stride(from: 0, to: count, by: 4) {
                let alpha = hasAlpha ? min(255, x * 340 / width & ~15) : 255
                let grain = noises[(at / 4 &* 7 &+ y &* 1_021) & 8_191]
                unsafe bytes[at] = UInt8((x * 220 / width + grain) * alpha / 255)
                unsafe bytes[at + 1] = UInt8((y * 220 / height + grain) * alpha / 255)
                unsafe bytes[at + 2] = UInt8(((x ^ y) & 63 + grain) * alpha / 255)
                unsafe bytes[at + 3] = UInt8(alpha)
                x += 1
                if x == width { (x, y) = (0, y + 1) }
            }
        }
        return try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: hasAlpha)
    }
}
