import Foundation

/// Bytes as a text that is safe in a path.
///
/// - Source: RFC 4648, section 5, without padding.
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// - Returns: `nil` for a text that ``encode(_:)`` does not make, so that bytes have one text only.
    static func decode(_ text: Substring) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/") + padding
        guard let data = Data(base64Encoded: standard), encode(Array(data)) == text else { return nil }
        return Array(data)
    }
}
