// SPDX-License-Identifier: MIT
/// What is wrong with a file whose picture was decoded all the same.
///
/// Damage that no rule of the format is broken by goes unnoticed: JPEG and WebP have no checksums.
public struct ImageDamage: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a value from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The file ends early, and every pixel is there.
    ///
    /// In an animation, every pixel of the frames that the file has.
    public static let missingEnd = ImageDamage(rawValue: 1)
    /// Pixels or frames are missing. Missing pixels are grey in a JPEG and transparent in the other formats.
    ///
    /// Only with ``DamagePolicy/never``.
    public static let missingPixels = ImageDamage(rawValue: 2)
    /// Data break the rules of their format, so pixels may be wrong.
    ///
    /// Never with ``DamagePolicy/anyDamage``.
    public static let corruptData = ImageDamage(rawValue: 4)
}

extension ImageDamage: CustomStringConvertible {
    /// The names of the damage, separated by commas; empty without damage.
    public var description: String {
        let names: [(ImageDamage, String)] = [
            (.missingEnd, "missing end"), (.missingPixels, "missing pixels"), (.corruptData, "corrupt data"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// Which damage of a file makes its decode fail.
///
/// A damaged picture says so in ``DecodedImage/damage``. A file without a whole header fails with every policy, and so
/// does one beyond the limits.
public enum DamagePolicy: String, Hashable, Sendable, CaseIterable {
    /// None: what can be drawn is the picture.
    ///
    /// For recovery, and for previews of a file that still arrives.
    case never
    /// Missing pixels, and broken data where the format can tell them by a checksum (PNG) or cannot continue after them
    /// (GIF, WebP).
    ///
    /// A file that only lacks its end is a picture, and so is a JPEG with broken data in a scan, as in browsers.
    case truncated
    /// Everything that the library notices.
    case anyDamage
}
