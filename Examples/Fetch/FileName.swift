import Foundation
import WebImage

/// The names of the files of pictures: readable, equal in every run, and different for different pictures.
///
/// A name is the readable part of the last path component of the URL, then a fingerprint of the whole key of the
/// picture, then the extension of the written format.
enum FileName {
    /// The name for the picture with the key `key`, at most 255 bytes long; equal keys get equal names.
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

    /// 96 bits of SHA-256 in hexadecimal: even an attacker cannot find two URLs with the same fingerprint.
    private static func fingerprint(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8)).prefix(12).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
