// SPDX-License-Identifier: MIT
#if ICC
import CImageShims

/// The conversion of a picture from the colours of its file's ICC profile to sRGB.
///
/// Safe to share: the conversion is made once, never changed, and used without a cache.
@safe final class ColorProfile: @unchecked Sendable {
    private let profile: OpaquePointer

    /// Finds the profile of a JPEG, PNG or WebP and prepares its conversion.
    ///
    /// Broken profiles count as absent, and so do those of other colours than RGB and grey: the pixels of a CMYK file
    /// have left its colours when they are decoded.
    ///
    /// - Returns: `nil` when nothing is to be converted.
    init?(of bytes: [UInt8], _ limits: ImageLimits) {
        guard let found = ColorProfile.bytes(of: bytes, limits), !found.isEmpty,
            let made = unsafe found.withUnsafeBufferPointer({ unsafe swi_profile_create($0.baseAddress!, $0.count) })
        else { return nil }
        unsafe profile = made
    }

    deinit { unsafe swi_profile_free(profile) }

    /// Converts all frames; those on demand, on demand.
    ///
    /// **Cancellation**: checked every megabyte; throws `CancellationError`.
    func convert(_ image: DecodedImage) throws -> DecodedImage {
        let hasAlpha = image.hasAlpha
        return try image.mapFrames(to: image.size) { [self] pixels in
            try unsafe Bitmap.changed(pixels) {
                if hasAlpha { unsafe swi_unpremultiply($0, $1) }
                unsafe swi_profile_convert(profile, $0, $1)
                if hasAlpha { _ = unsafe swi_premultiply($0, $1) }
            }
        }
    }

    /// Whether a file has a profile.
    static func exists(in file: [UInt8], _ limits: ImageLimits) -> Bool {
        bytes(of: file, limits) != nil
    }

    private static func bytes(of file: [UInt8], _ limits: ImageLimits) -> [UInt8]? {
        MetadataBlocks(of: file, limit: 0, profileLimit: limits.maximumMetadataByteCount).profile
    }
}
#endif
