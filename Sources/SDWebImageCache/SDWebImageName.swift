// SPDX-License-Identifier: MIT
import COpenSSL
import PlatformBasics
import WebImage

/// The name of a key's file in a folder of SDWebImage: the MD5 digest of the key, and the extension of its path.
///
/// - Source: SDWebImage 5.21, `SDDiskCache.m`, `SDDiskCacheFileNameForKey`.
struct SDWebImageName: Hashable, Sendable {
    /// 32 hexadecimal digits.
    let digest: String
    /// The extension with its dot; empty without one.
    let suffix: String

    /// The name of the file. Older versions of SDWebImage have stored files without the extension.
    var file: String { digest + suffix }

    /// The longest extension: a file name has at most 255 units, of which 33 are taken.
    private static let longestExtension = 255 - 32 - 1

    init(_ key: CacheKey) {
        let text = Self.text(of: key)
        digest = Self.md5(Array(text.utf8))
        // What is made of an original has a name that no version of SDWebImage gives, and the extension of the
        // original.
        let original = text.utf8.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).first ?? []
        let path = String(decoding: Array(original), as: UTF8.self)
        var name = URL(string: path)?.pathExtension ?? Self.pathExtension(of: path)
        name.removeAll { $0 == ":" || $0 == "\0" }
        // An escaped slash in a URL would lead into another folder.
        let isUsable = !name.isEmpty && name.utf16.count <= Self.longestExtension && name.utf8.count <= 222
        suffix = isUsable && !name.utf8.contains(UInt8(ascii: "/")) ? "." + name : ""
    }

    /// The digest that SDWebImage names its files by, in 32 lower-case hexadecimal digits.
    ///
    /// It protects nothing: two keys can be made that share a name. A file says by its metadata whose it is, if this
    /// package has written it.
    ///
    /// - Complexity: O(n).
    static func md5(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: Int(MD5_DIGEST_LENGTH))
        _ = unsafe MD5(bytes, bytes.count, &digest)
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// What follows the last dot of the last component; nothing where that dot is the component's first character.
    static func pathExtension(of path: String) -> String {
        let component = path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        guard let dot = component.lastIndex(of: UInt8(ascii: ".")), dot > component.startIndex else { return "" }
        return String(decoding: component[dot...].dropFirst(), as: UTF8.self)
    }

    /// The text that SDWebImage would use: a URL, or the key that a program gave.
    static func text(of key: CacheKey) -> String {
        let text = key.rawValue
        if let name = variantText(of: key) { return name }
        // "\0key\0", the length and ":", as in the name of a request with a key of its own.
        guard key.isOriginal, text.hasPrefix("\0key\0"), let colon = text.firstIndex(of: ":") else { return text }
        return String(text[text.index(after: colon)...])
    }

    /// Whether a file in the folder was made by SDWebImage, or by this package in its way.
    static func isEntry(_ name: String) -> Bool {
        let digits = name.utf8.prefix(32)
        guard digits.count == 32, digits.allSatisfy({ ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) }) else {
            return false
        }
        return name.utf8.count == 32 || name.utf8.dropFirst(32).first == UInt8(ascii: ".")
    }
}
