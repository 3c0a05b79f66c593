// SPDX-License-Identifier: MIT
import CImageShims

/// Blurs a picture with a Gaussian filter on premultiplied sRGB values.
///
/// Pixels beyond the edge do not exist: those inside get their weight.
public struct BlurTransformer: ImageTransforming, Hashable {
    /// The largest standard deviation, in pixels.
    ///
    /// The work grows with it; for more, resize first.
    static let maximumSigma = 100.0

    /// The standard deviation of the filter, in pixels.
    let sigma: Double

    /// The name and the standard deviation.
    public var key: String { "blur(\(sigma))" }

    /// A row of two bytes a sample, and the weights.
    public func workingByteCount(for size: PixelSize) -> Int {
        guard sigma >= 0 else { return 0 }
        // At the edges each pixel has weights of its own, twice the filter's length of them; all others share theirs.
        let length = Int(atLeastOne: min(sigma, BlurTransformer.maximumSigma) * 6 + 8)
        return size.width.saturatingMultiply(24).saturatingAdd(size.height.saturatingMultiply(16))
            .saturatingAdd(length.saturatingMultiply(length).saturatingMultiply(20))
    }

    /// Blurs every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a standard deviation out of range; `CancellationError`.
    /// - Complexity: O(pixels * `sigma`).
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let filter = try BlurTransformer.filter(sigma, for: image.size)
        guard let filter else { return image }
        return try image.mapFrames(to: image.size) { try filter.resample($0) }
    }

    /// The filter, or `nil` when it changes nothing.
    static func filter(_ sigma: Double, for size: PixelSize) throws(ImageError) -> Resampler? {
        guard sigma >= 0, sigma <= maximumSigma else {
            throw ImageError(
                code: .invalidRequest,
                message: "A blur of \(sigma): 0 to \(maximumSigma) pixels are possible; resize first for more.")
        }
        if sigma < 0.05 { return nil }
        return Resampler(size: size, gaussian: sigma)
    }
}

/// Sharpens a picture by what a blur takes away from it (unsharp mask).
public struct SharpenTransformer: ImageTransforming, Hashable {
    /// The standard deviation of the blur, in pixels.
    var sigma = 1.0
    /// How much of the difference is added: 0 changes nothing.
    var amount = 1.0

    /// The name, the standard deviation and the amount.
    public var key: String { "sharpen(\(sigma),\(amount))" }

    /// The blurred frame, and the rows of the blur.
    public func workingByteCount(for size: PixelSize) -> Int {
        BlurTransformer(sigma: sigma).workingByteCount(for: size).saturatingAdd(size.bitmapByteCount)
    }

    /// Sharpens every frame; alpha stays.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a number out of range; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard amount >= 0, amount <= 10 else {
            throw ImageError(code: .invalidRequest, message: "An amount of \(amount): 0 to 10 are possible.")
        }
        guard let filter = try BlurTransformer.filter(sigma, for: image.size) else { return image }
        let amount = Float(amount)
        return try image.mapFrames(to: image.size) { pixels in
            let blurred = try filter.resample(pixels)
            var at = 0
            return try unsafe Bitmap.changed(blurred) { piece, count in
                unsafe swi_sharpen(pixels, at, piece, count, amount)
                at += count
            }
        }
    }
}

extension ImageTransforming where Self == BlurTransformer {
    /// Blurs a picture.
    ///
    /// - Parameter sigma: The standard deviation of the filter in pixels, 0 to 100; 0 changes nothing.
    public static func blur(sigma: Double) -> BlurTransformer { BlurTransformer(sigma: sigma) }
}

extension ImageTransforming where Self == SharpenTransformer {
    /// Sharpens a picture.
    ///
    /// - Parameters:
    ///   - sigma: The standard deviation of the blur in pixels, 0 to 100.
    ///   - amount: How much of the difference is added, 0 to 10.
    public static func sharpen(sigma: Double = 1, amount: Double = 1) -> SharpenTransformer {
        SharpenTransformer(sigma: sigma, amount: amount)
    }
}
