// SPDX-License-Identifier: MIT
/// A picture file format.
///
/// The formats below are known by name and by signature. Only formats with a coder can be decoded. A custom coder may
/// have a format of its own, made with ``init(name:mimeType:fileExtension:)``.
///
/// A value of one word.
public struct ImageFormat: Hashable, Sendable {
    private let names: Names

    /// A short lower-case name, such as `jpeg`.
    public var name: String { names.name }
    /// The registered media type, such as `image/jpeg`.
    public var mimeType: String { names.mimeType }
    /// The usual file name extension without a dot, such as `jpg`.
    public var fileExtension: String { names.fileExtension }

    /// Creates a format.
    ///
    /// - Parameters:
    ///   - name: A short lower-case name, unique among the formats in use.
    ///   - mimeType: The media type, lower case, without parameters.
    ///   - fileExtension: The file name extension, lower case, without a dot.
    public init(name: String, mimeType: String, fileExtension: String) {
        names = Names(name: name, mimeType: mimeType, fileExtension: fileExtension)
    }

    /// Whether all three names are equal.
    public static func == (one: ImageFormat, other: ImageFormat) -> Bool {
        one.names === other.names
            || one.name == other.name && one.mimeType == other.mimeType && one.fileExtension == other.fileExtension
    }

    /// Feeds the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    private final class Names: Sendable {
        let name: String
        let mimeType: String
        let fileExtension: String

        init(name: String, mimeType: String, fileExtension: String) {
            self.name = name
            self.mimeType = mimeType
            self.fileExtension = fileExtension
        }
    }
}

extension ImageFormat {
    /// JPEG (ISO/IEC 10918-1) in any wrapping: JFIF, EXIF or bare.
    public static let jpeg = ImageFormat(name: "jpeg", mimeType: "image/jpeg", fileExtension: "jpg")
    /// Portable Network Graphics, animated ones included.
    public static let png = ImageFormat(name: "png", mimeType: "image/png", fileExtension: "png")
    /// GIF87a and GIF89a.
    public static let gif = ImageFormat(name: "gif", mimeType: "image/gif", fileExtension: "gif")
    /// TIFF 6.0 in either byte order, and BigTIFF.
    public static let tiff = ImageFormat(name: "tiff", mimeType: "image/tiff", fileExtension: "tiff")
    /// WebP: lossy, lossless and animated.
    public static let webp = ImageFormat(name: "webp", mimeType: "image/webp", fileExtension: "webp")
    /// HEIF holding HEVC pictures.
    public static let heic = ImageFormat(name: "heic", mimeType: "image/heic", fileExtension: "heic")
    /// HEIF that does not name its coding.
    public static let heif = ImageFormat(name: "heif", mimeType: "image/heif", fileExtension: "heif")
    /// Portable Document Format.
    public static let pdf = ImageFormat(name: "pdf", mimeType: "application/pdf", fileExtension: "pdf")
    /// Scalable Vector Graphics as plain XML.
    public static let svg = ImageFormat(name: "svg", mimeType: "image/svg+xml", fileExtension: "svg")
    /// Windows bitmap.
    public static let bmp = ImageFormat(name: "bmp", mimeType: "image/bmp", fileExtension: "bmp")
    /// Windows icon and cursor.
    public static let ico = ImageFormat(name: "ico", mimeType: "image/vnd.microsoft.icon", fileExtension: "ico")
    /// A camera's sensor data.
    ///
    /// Known only by its declared type: the files look like TIFF.
    public static let raw = ImageFormat(name: "raw", mimeType: "image/x-dcraw", fileExtension: "raw")
    /// AV1 Image File Format, still and sequence.
    public static let avif = ImageFormat(name: "avif", mimeType: "image/avif", fileExtension: "avif")
    /// JPEG XL, bare codestream and container.
    public static let jpegXL = ImageFormat(name: "jxl", mimeType: "image/jxl", fileExtension: "jxl")

    /// Every format of this module, in no particular order.
    public static let all: [ImageFormat] = [
        .jpeg, .png, .gif, .tiff, .webp, .heic, .heif, .pdf, .svg, .bmp, .ico, .raw, .avif, .jpegXL,
        .blurHash, .thumbHash,
    ]
}

extension ImageFormat: CustomStringConvertible {
    /// The format's ``name``.
    public var description: String { name }
}
