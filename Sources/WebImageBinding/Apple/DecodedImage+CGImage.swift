// SPDX-License-Identifier: MIT
#if canImport(CoreGraphics)
public import CoreGraphics
import Foundation

extension DecodedImage {
    /// One frame as a Core Graphics image; `nil` when there is no such frame or no memory for it.
    ///
    /// - Complexity: O(`width * height`): the pixels are copied once.
    public func cgImage(frame index: Int = 0) -> CGImage? {
        guard let frame = try? frame(at: index), let space = CGColorSpace(name: CGColorSpace.sRGB),
            let provider = CGDataProvider(data: Data(frame.pixels) as CFData)
        else { return nil }
        let alpha: CGImageAlphaInfo = hasAlpha ? .premultipliedLast : .noneSkipLast
        return unsafe CGImage(
            width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4, space: space,
            bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
            shouldInterpolate: true, intent: .defaultIntent)
    }
}
#endif
