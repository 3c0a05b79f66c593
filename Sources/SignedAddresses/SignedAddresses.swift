// SPDX-License-Identifier: MIT
import PlatformBasics

/// What a valid address says.
public struct SignedAddress: Sendable, Hashable {
    /// What is made of the source, or the name of a preset, without the end of the address. Only the server knows
    /// which options there are.
    public let options: String
    /// The URL of the source as its writer wrote it: `http`, `https` or `s3`, and nothing else is checked.
    public let source: String
    /// Seconds since 1970, from which the address is refused; `nil` for an address without an end.
    public let expiry: Int?
}

/// Makes and checks addresses of pictures: `/{options or preset}/{signature or "unsigned"}/{source}`.
///
/// The source is a URL in base64url, or `plain/` and the URL itself. A plain URL is taken as it is when it begins with
/// its scheme, and is percent-decoded once otherwise. The signature covers `{options or preset}/{source}`, byte by
/// byte. Options may end with `,exp` and the second, counted from 1970, from which the address is refused.
public struct SignedAddresses: Sendable {
    private let keys: [SigningKey]
    private let allowsUnsigned: Bool

    /// The word in place of a signature.
    private static let unsigned = "unsigned"

    /// Creates a maker and reader of addresses.
    ///
    /// - Parameters:
    ///   - keys: The first one signs, and each may have signed what is read: put a new key first, and remove the old
    ///     one when no page has its addresses any more.
    ///   - allowsUnsigned: Whether addresses without a signature are valid, and are made when there is no key.
    public init(keys: [SigningKey], allowsUnsigned: Bool = false) {
        self.keys = keys
        self.allowsUnsigned = allowsUnsigned
    }

    /// The address of a picture: a path of printable ASCII characters, to be put behind the server's scheme and host.
    ///
    /// - Parameters:
    ///   - options: Such as `w320,h240,fill`, or the name of a preset: letters, digits and `,.:_-`.
    ///   - source: The URL of the original, with its scheme. The server leaves a fragment out.
    ///   - isPlain: Whether the URL stays readable. It is printable ASCII then, without `#`. A proxy that merges
    ///     slashes breaks such an address.
    ///   - expiry: Seconds since 1970, from which the address is refused.
    /// - Throws: ``SignedAddressError`` with code `.invalidOptions`, `.invalidSource`, or `.invalidSignature` when
    ///   there is no key.
    /// - Complexity: O(length).
    public func path(
        options: String, source: String, isPlain: Bool = false, expiry: Int? = nil
    ) throws(SignedAddressError) -> String {
        guard !options.isEmpty, !options.hasPrefix("."), options.allSatisfy(Self.isOfOptions) else {
            throw .init(code: .invalidOptions, message: "Options are letters, digits and the signs , . : _ and -.")
        }
        let options = expiry.map { "\(options),exp\($0)" } ?? options
        _ = try Self.divide(options[...])
        let place = isPlain ? "plain/\(source)" : Base64URL.encode(Array(source.utf8))
        guard place.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .source("A plain source has printable ASCII characters without # only; percent-encode the others.")
        }
        _ = try Self.source(place[...])
        guard let signature = keys.first?.signature(of: "\(options)/\(place)") ?? (allowsUnsigned ? Self.unsigned : nil)
        else { throw .init(code: .invalidSignature, message: "There is no key to sign with.") }
        return "/\(options)/\(signature)/\(place)"
    }

    /// Reads an address and checks its signature and its end.
    ///
    /// The time does not tell how much of a signature is right, or which key it fits.
    ///
    /// - Parameters:
    ///   - path: The target of a request as it was sent: with its query, and not decoded.
    ///   - now: Seconds since 1970; the system's time when `nil`.
    /// - Throws: ``SignedAddressError``. An address with a wrong signature learns nothing else.
    /// - Complexity: O(length), and one HMAC for each key.
    public func read(_ path: String, at now: Int? = nil) throws(SignedAddressError) -> SignedAddress {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 4, parts[0].isEmpty, !parts[1].isEmpty, !parts[3].isEmpty else {
            throw .init(
                code: .unknownAddress,
                message: "Nothing is here; addresses of pictures are /{options or preset}/{signature}/{source}.")
        }
        try check(parts[2], of: "\(parts[1])/\(parts[3])")
        let (options, expiry) = try Self.divide(parts[1])
        if let expiry, expiry <= now ?? Int(time(nil)) {
            throw .init(code: .expiredAddress, message: "The time of this address is over.")
        }
        return SignedAddress(options: String(options), source: try Self.source(parts[3]), expiry: expiry)
    }

    private func check(_ signature: Substring, of text: String) throws(SignedAddressError) {
        if signature == Self.unsigned {
            guard allowsUnsigned else {
                throw .init(code: .invalidSignature, message: "This server serves signed addresses only.")
            }
            return
        }
        guard SigningKey.isValid(signature, of: text, by: keys) else {
            throw .init(code: .invalidSignature, message: "The signature does not belong to this address.")
        }
    }

    /// Divides options from the end of the address.
    private static func divide(_ text: Substring) throws(SignedAddressError) -> (options: Substring, expiry: Int?) {
        let word = text.utf8.lastIndex(of: UInt8(ascii: ",")).map { text[text.utf8.index(after: $0)...] } ?? text
        guard word.hasPrefix("exp"), word.startIndex > text.startIndex else { return (text, nil) }
        let digits = word.dropFirst(3)
        guard (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let expiry = Int(digits)
        else {
            throw .init(
                code: .invalidOptions, message: "The option \"\(word.prefix(40))\" takes seconds since 1970.")
        }
        return (text[..<text.utf8.index(before: word.startIndex)], expiry)
    }

    private static func source(_ text: Substring) throws(SignedAddressError) -> String {
        let plain = "plain/"
        var source: String
        if text.hasPrefix(plain) {
            source = String(text.dropFirst(plain.count))
            if !hasScheme(source) {
                guard let decoded = source[...].percentDecoded else {
                    throw .source("The source is not percent-encoded UTF-8.")
                }
                source = decoded
            }
        } else {
            guard let bytes = Base64URL.decode(text), let decoded = String(validating: bytes, as: UTF8.self) else {
                throw .source("The source is not a URL in base64url, and does not begin with \"plain/\".")
            }
            source = decoded
        }
        guard hasScheme(source) else { throw .source("The source is not an http or https URL.") }
        return source
    }

    private static func hasScheme(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://" || start.hasPrefix("s3://")
    }

    private static func isOfOptions(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ",.:_-".contains(character))
    }
}

extension SignedAddressError {
    fileprivate static func source(_ message: String) -> SignedAddressError {
        SignedAddressError(code: .invalidSource, message: message)
    }
}
