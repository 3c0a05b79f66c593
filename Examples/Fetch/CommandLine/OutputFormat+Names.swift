// SPDX-License-Identifier: MIT
import WebImage

extension OutputFormat {
    /// The format with this name, at the usual quality.
    ///
    /// - Throws: ``UsageError`` for a name that is not among the option's.
    static func named(_ name: String) throws(UsageError) -> OutputFormat {
        switch name {
        case "original": .original
        case "jpeg", "jpg": .jpeg(quality: 80)
        case "png": .png
        case "gif": .gif
        case "webp": .webp(quality: 80)
        default: throw UsageError(message: "--format takes original, jpeg, png, gif or webp, not \(name.printable)")
        }
    }

    /// The format written with these options; the original stays what it is.
    func with(_ options: EncodeOptions) -> OutputFormat {
        guard case .encoded(let encoded) = self else { return self }
        return .encoded(EncodedFormat(encoded.format, options: options))
    }

    /// A text for each format and quality; empty for the original.
    var key: String {
        guard case .encoded(let encoded) = self else { return "" }
        return encoded.key
    }
}
