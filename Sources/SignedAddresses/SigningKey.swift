// SPDX-License-Identifier: MIT
import COpenSSL

/// A secret that signs addresses with HMAC-SHA-256.
public struct SigningKey: Sendable {
    private let bytes: [UInt8]

    /// Creates a key from hexadecimal digits of either case, as `openssl rand -hex 32` prints them.
    ///
    /// - Parameter text: 32 to 512 digits, so 16 to 256 bytes; `nil` comes back for any other text.
    public init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        // `UInt8` reads a sign, too.
        let isHexadecimal = digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
        guard isHexadecimal, digits.count % 2 == 0, (32...512).contains(digits.count) else { return nil }
        bytes = stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16)
        }
    }

    /// The signature of a text: 43 characters of base64url.
    package func signature(of text: String) -> String { Base64URL.encode(digest(of: text)) }

    /// Whether one of the keys has made the signature.
    ///
    /// The time depends neither on the place of the first difference nor on the key that fits.
    package static func isValid(_ signature: some StringProtocol, of text: String, by keys: [SigningKey]) -> Bool {
        guard let given = Base64URL.decode(signature), given.count == digestByteCount else { return false }
        return keys.reduce(false) { isValid, key in
            let isEqual = unsafe CRYPTO_memcmp(given, key.digest(of: text), digestByteCount) == 0
            return isEqual || isValid
        }
    }

    private func digest(of text: String) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.digestByteCount)
        let message = Array(text.utf8)
        _ = unsafe HMAC(EVP_sha256(), bytes, Int32(bytes.count), message, message.count, &digest, nil)
        return digest
    }

    private static let digestByteCount = 32
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The name of the type, and nothing of the secret.
    public var description: String { "SigningKey" }

    /// Empty, so that a dump does not show the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
