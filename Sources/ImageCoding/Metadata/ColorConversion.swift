// SPDX-License-Identifier: MIT
import CImageShims
import Locks

/// The conversion of a picture from the colours of its file to sRGB.
///
/// Safe to share: the conversion is made once, never changed, and used without a cache.
@safe final class ColorConversion: @unchecked Sendable {
    /// Where a conversion begins.
    struct Source: Hashable, Sendable {
        var description: ColorDescription
        /// One of `SWI_PIXELS_...`.
        var pixels: Int32

        /// The most bytes that preparing a conversion takes: a table of a profile is read and linked several times. At
        /// most a third of them stay.
        var byteCount: Int {
            guard case .profile(let profile) = description else { return 1 << 20 }
            return 1 << 20 + profile.count * 9
        }

        /// Whether decoders convert as they draw: inks, and pixels of sixteen bits.
        var isForDrawing: Bool { pixels != Int32(SWI_PIXELS_RGBA_8) }

        /// Whether a conversion was prepared and proved to change nothing, or the profile to be broken.
        var isKnownAsNeedless: Bool {
            let hash = hashValue
            return needless.withLock { $0.contains(hash) }
        }
    }

    private let profile: OpaquePointer
    /// Whether decoders convert as they draw: inks, and pixels of sixteen bits.
    let isDoneWhileDrawing: Bool

    /// Prepares a conversion.
    ///
    /// - Returns: `nil` when nothing is to be converted: for colours that are sRGB, a broken profile, and a profile of
    ///   other colours than the pixels have.
    private init?(_ source: Source) {
        var from = unsafe swi_colour_source()
        var bytes: [UInt8] = []
        switch source.description {
        case .profile(let profile): bytes = profile
        case .measured(let primaries, let curve):
            let at = primaries.points
            unsafe from.points = (at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7])
            switch curve {
            case .gamma(let gamma): unsafe (from.transfer, from.gamma) = (Int32(SWI_TRANSFER_GAMMA), gamma)
            case .sRGB: unsafe from.transfer = Int32(SWI_TRANSFER_SRGB)
            case .perceptual: unsafe from.transfer = Int32(SWI_TRANSFER_PQ)
            case .hybrid: unsafe from.transfer = Int32(SWI_TRANSFER_HLG)
            }
        }
        let made = unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe (from.profile, from.count) = (bytes.isEmpty ? nil : bytes.baseAddress, bytes.count)
            return unsafe swi_profile_create(&from, source.pixels)
        }
        guard let made = unsafe made else { return nil }
        unsafe profile = made
        isDoneWhileDrawing = source.isForDrawing
    }

    deinit { unsafe swi_profile_free(profile) }

    /// The C conversion for a decoder that converts as it draws.
    var forDrawing: OpaquePointer? { unsafe isDoneWhileDrawing ? profile : nil }

    /// Converts pixels that are not premultiplied, in place, in pieces of a megabyte.
    func convert(_ pixels: UnsafeMutableBufferPointer<UInt8>, _ work: DecodingWork) throws {
        for start in stride(from: 0, to: pixels.count, by: 1 << 20) {
            try work.look()
            let piece = unsafe UnsafeMutableBufferPointer(
                rebasing: pixels[start..<min(start + (1 << 20), pixels.count)])
            guard let first = piece.baseAddress else { return }
            work.excluding { unsafe swi_profile_convert(profile, first, first, piece.count / 4) }
        }
    }

    /// Converts all frames; those on demand, on demand.
    ///
    /// **Cancellation**: checked every megabyte; throws `CancellationError`.
    func convert(_ image: DecodedImage) throws -> DecodedImage {
        let hasAlpha = image.hasAlpha
        return try image.mapFrames(to: image.size) { [self] pixels in
            try unsafe Bitmap.changed(pixels) {
                if hasAlpha { unsafe swi_unpremultiply($0, $1) }
                unsafe swi_profile_convert(profile, $0, $0, $1 / 4)
                if hasAlpha { _ = unsafe swi_premultiply($0, $1) }
            }
        }
    }
}

extension ColorConversion: Hashable {
    static func == (left: ColorConversion, right: ColorConversion) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

// MARK: - Conversions that are kept

extension ColorConversion {
    /// How many conversions are kept. One of inks takes half a megabyte.
    static let keptCount = 16
    /// The most bytes that preparing those that are kept took. Untrusted profiles may have a megabyte each. The latest
    /// is kept whatever it took.
    static let keptByteCount = 32 << 20

    /// The last ones used, the latest at the end.
    private static let kept = Mutex<[(source: Source, conversion: ColorConversion)]>([])
    /// The hashes of the last sources that need no conversion, at most 1,024. They are seeded by the process, so that
    /// no file can be made to have the hash of another one.
    private static let needless = Mutex<Set<Int>>([])

    /// The conversion of a file's colours: the one that is kept for equal colours, or a new one.
    ///
    /// - Returns: `nil` when nothing is to be converted.
    static func of(_ source: Source) -> ColorConversion? {
        if source.isKnownAsNeedless { return nil }
        let known = kept.withLock { $0.first { $0.source == source } }
        // Two tasks may prepare the same conversion; then either is kept.
        guard let latest = known?.conversion ?? ColorConversion(source) else {
            let hash = source.hashValue
            needless.withLock { needless in
                if needless.count == 1_024 { needless.removeAll() }
                needless.insert(hash)
            }
            return nil
        }
        kept.withLock { kept in
            kept.removeAll { $0.source == source }
            kept.append((source, latest))
            while kept.count > keptCount
                || kept.count > 1 && kept.reduce(0, { $0 + $1.source.byteCount }) > keptByteCount
            {
                kept.removeFirst()
            }
        }
        return latest
    }
}
