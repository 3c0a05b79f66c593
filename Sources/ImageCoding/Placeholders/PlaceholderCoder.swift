// SPDX-License-Identifier: MIT

/// Writes ``BlurHash`` and ``ThumbHash`` as files, so that a hash is made where the other files of a picture are.
struct PlaceholderCoder: ImageEncoding {
    func canEncode(_ format: ImageFormat) -> Bool { [.blurHash, .thumbHash].contains(format) }
    func usesQuality(_ format: EncodedFormat) -> Bool { false }
    func animates(_ format: EncodedFormat) -> Bool { false }

    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        format.format == .blurHash ? Array(try BlurHash(of: image).text.utf8) : try ThumbHash(of: image).bytes
    }
}

extension ImageFormat {
    /// The text of a ``BlurHash``. Its media type is not registered.
    public static let blurHash = ImageFormat(
        name: "blurhash", mimeType: "application/x-blurhash", fileExtension: "blurhash")
    /// The bytes of a ``ThumbHash``. Its media type is not registered.
    public static let thumbHash = ImageFormat(
        name: "thumbhash", mimeType: "application/x-thumbhash", fileExtension: "thumbhash")
}

extension EncodedFormat {
    /// The text of a ``BlurHash`` of 4 by 3 waves, of the first frame.
    public static let blurHash = EncodedFormat(.blurHash, options: EncodeOptions(maximumSize: hashedSize))
    /// The bytes of a ``ThumbHash``, of the first frame.
    public static let thumbHash = EncodedFormat(.thumbHash, options: EncodeOptions(maximumSize: hashedSize))

    private static let hashedSize = PixelSize(width: 100, height: 100)
}
