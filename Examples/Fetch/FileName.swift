import Foundation
import WebImage

/// Names the files that pictures are written to: readable, the same in every run, and never two pictures in one file.
///
/// A name is what is readable of the last part of the URL's path, then a fingerprint of the whole name under which
/// the picture is known, then the extension of the format that was written.
struct FileName {
    private var taken: [String: String] = [:]

    /// The name for the picture known as `key`; equal keys get equal names.
    mutating func name(for key: String, url: URL, format: ImageFormat) -> String {
        let stem = Self.readable(url) + "-" + Self.fingerprint(key)
        var name = stem + "." + format.fileExtension
        var attempt = 2
        while let owner = taken[name], owner != key {
            name = "\(stem)-\(attempt).\(format.fileExtension)"
            attempt += 1
        }
        taken[name] = key
        return name
    }

    /// Letters, digits, `-` and `_` of the last path component without its extension; at most 60 of them.
    private static func readable(_ url: URL) -> String {
        let last = url.path.split(separator: "/").last ?? ""
        let stem = last.split(separator: ".").first ?? ""
        let safe = stem.unicodeScalars.map { scalar -> Character in
            let isSafe = scalar.properties.isAlphabetic || "0123456789-_".unicodeScalars.contains(scalar)
            return scalar.isASCII && isSafe ? Character(scalar) : "_"
        }
        let text = String(safe.prefix(60)).trimmingCharacters(in: CharacterSet(charactersIn: "_-"))
        return text.isEmpty ? "picture" : text
    }

    /// 64 bits of FNV-1a, in hexadecimal.
    private static func fingerprint(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
