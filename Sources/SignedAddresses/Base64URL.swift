// SPDX-License-Identifier: MIT
import PlatformBasics

/// Bytes as a text that is safe in a path.
///
/// - Source: RFC 4648, section 5, without padding.
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        let letters = Data(bytes).base64EncodedData().prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: letters.map(inOtherAlphabet), as: UTF8.self)
    }

    /// - Returns: `nil` for a text that ``encode(_:)`` does not make, so that bytes have one text only.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let letters = text.utf8.map(inOtherAlphabet)
        let padding = [UInt8](repeating: UInt8(ascii: "="), count: -letters.count & 3)
        guard let data = Data(base64Encoded: Data(letters + padding)) else { return nil }
        let bytes = Array(data)
        return encode(bytes) == text ? bytes : nil
    }

    /// The letter of the same value in the alphabet of section 4 for one of section 5, and the other way round.
    private static func inOtherAlphabet(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        default: letter
        }
    }
}
