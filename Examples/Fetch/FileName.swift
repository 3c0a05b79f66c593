import Foundation
import WebImage

/// Names the files that pictures are written to: readable, the same in every run, and never two pictures in one file.
///
/// A name is what is readable of the last part of the URL's path, then a fingerprint of the whole name under which
/// the picture is known, then the extension of the format that was written.
enum FileName {
    /// The name for the picture known as `key`, at most 255 bytes long; equal keys get equal names.
    static func name(for key: String, url: URL, format: ImageFormat) -> String {
        "\(readable(url))-\(fingerprint(key)).\(format.fileExtension)"
    }

    /// The last path component without its extension: letters and digits of all scripts, `-` and `_`, at most 40.
    private static func readable(_ url: URL) -> String {
        let last = url.path.split(separator: "/").last ?? ""
        let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
        let safe = stem.unicodeScalars.prefix(40).map { scalar -> Character in
            isPlain(scalar) ? Character(scalar) : "_"
        }
        let text = String(safe).trimmingCharacters(in: CharacterSet(charactersIn: "_-"))
        return text.isEmpty ? "picture" : text
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            true
        default: scalar == "-" || scalar == "_"
        }
    }

    /// 96 bits of SHA-256 in hexadecimal: nobody finds two URLs with the same one, not even on purpose.
    private static func fingerprint(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8)).prefix(12).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
