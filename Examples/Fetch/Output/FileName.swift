// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// The names of the files of pictures: readable, equal in every run, and different for different files.
///
/// A file is named by a ``NameTemplate``. Its hash is a fingerprint of the picture's key and of the variant: size and
/// format as the command line asks for them.
struct FileName {
    let template: NameTemplate
    /// Differs for options that lead to different files.
    private let variant: String

    init(_ options: Options) {
        template = options.name ?? .usual(isResized: options.resize != nil)
        variant = (options.transformers.map(\.key) + [options.format.key]).filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// The name for the picture with the key `key`; equal keys get equal names.
    ///
    /// A name by the usual template has at most 255 bytes.
    func name(for key: String, url: URL, format: ImageFormat, width: Int, height: Int) -> String {
        template.name([
            .stem: Self.readable(url), .width: "\(width)", .height: "\(height)", .format: format.fileExtension,
            .hash: Self.fingerprint(variant.isEmpty ? key : "\(key)\n\(variant)"),
        ])
    }

    /// The last path component without its extension: letters and digits of all scripts, `-` and `_`, at most 40.
    private static func readable(_ url: URL) -> String {
        let last = url.path.split(separator: "/").last ?? ""
        let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
        let safe = stem.unicodeScalars.prefix(40).map { scalar -> Character in
            isPlain(scalar) ? Character(scalar) : "_"
        }
        let isEdge = { (character: Character) in character == "_" || character == "-" }
        let text = String(safe.drop(while: isEdge).reversed().drop(while: isEdge).reversed())
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

    /// 40 bits of SHA-256 in hexadecimal. Two pictures that share them fail, because no file is replaced.
    static func fingerprint(_ text: String) -> String {
        SHA256.digest(of: Array(text.utf8)).prefix(5).map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
