// SPDX-License-Identifier: MIT
import PlatformBasics

/// What an address of the server names: `/{options or preset}/{signature or "unsigned"}/{source}`.
///
/// The source is an `http` or `https` URL, or an `s3` one of a bucket that the server names, in base64url, or `plain/`
/// and the URL itself. A plain URL is taken as it is when it begins with its scheme, and is percent-decoded once
/// otherwise. A fragment is no part of it. The signature covers `{options or preset}/{source}`, byte by byte. Options
/// may end with `,exp` and the second, counted from 1970, from which the address is refused.
struct Address: Sendable, Hashable {
    let options: PictureOptions
    let source: URL
    /// Seconds since 1970; `nil` for an address without an end.
    var expiry: Int?

    /// The word in place of a signature.
    static let unsigned = "unsigned"
}

/// Reads and checks addresses.
struct AddressReader: Sendable {
    /// Each may have made a signature; the first one signs.
    var keys: [SigningKey] = []
    /// Whether addresses without a signature are served.
    var allowsUnsigned = false
    /// Options by name.
    var presets: [String: PictureOptions] = [:]
    /// Whether an address must name a preset.
    var allowsPresetsOnly = false
    /// The buckets that sources may be in.
    var buckets: Set<String> = []

    /// - Parameters:
    ///   - target: The target of a request, as it was sent.
    ///   - now: Seconds since 1970.
    /// - Throws: ``AddressError``.
    func read(_ target: String, at now: Int = RecentHits.now) throws(AddressError) -> Address {
        let parts = target.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 4, parts[0].isEmpty, !parts[1].isEmpty, !parts[3].isEmpty else {
            throw AddressError(
                status: 404, code: "unknownAddress",
                detail: "Nothing is here; addresses of pictures are /{options or preset}/{signature}/{source}.")
        }
        // The signature first, so that an unsigned address learns nothing else.
        try check(parts[2], of: "\(parts[1])/\(parts[3])")
        let (words, expiry) = try Self.expiry(parts[1])
        if let expiry, expiry <= now {
            throw AddressError(status: 403, code: "expiredAddress", detail: "The time of this address is over.")
        }
        return Address(options: try options(words), source: try source(parts[3]), expiry: expiry)
    }

    /// The address of a picture, signed with the first key.
    ///
    /// - Parameter isPlain: Whether the URL of the source stays readable.
    /// - Throws: ``AddressError`` for options or a source that the server refuses.
    func address(options: String, source: String, isPlain: Bool = false) throws(AddressError) -> String {
        let place = isPlain ? "plain/\(source)" : Base64URL.encode(Array(source.utf8))
        let signature = keys.first?.signature(of: "\(options)/\(place)") ?? Address.unsigned
        let address = "/\(options)/\(signature)/\(place)"
        guard address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .source("A plain source has printable ASCII characters only; percent-encode the others.")
        }
        _ = try self.options(Self.expiry(options[...]).options)
        _ = try self.source(place[...])
        return address
    }

    private func check(_ signature: Substring, of text: String) throws(AddressError) {
        if signature == Address.unsigned {
            guard allowsUnsigned else { throw .signature("This server serves signed addresses only.") }
            return
        }
        guard SigningKey.isValid(signature, of: text, by: keys) else {
            throw .signature("The signature does not belong to this address.")
        }
    }

    /// Divides options from the end of the address.
    private static func expiry(_ text: Substring) throws(AddressError) -> (options: Substring, expiry: Int?) {
        let word = text.utf8.lastIndex(of: UInt8(ascii: ",")).map { text[text.utf8.index(after: $0)...] } ?? text
        guard word.hasPrefix("exp"), word.startIndex > text.startIndex else { return (text, nil) }
        let digits = word.dropFirst(3)
        guard (1...12).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let expiry = Int(digits)
        else { throw .option(word, "takes seconds since 1970") }
        return (text[..<text.utf8.index(before: word.startIndex)], expiry)
    }

    private func options(_ text: Substring) throws(AddressError) -> PictureOptions {
        if let preset = presets[String(text)] { return preset }
        guard !allowsPresetsOnly else {
            throw AddressError(status: 404, code: "unknownPreset", detail: "There is no preset of this name.")
        }
        return try PictureOptions(text)
    }

    private func source(_ text: Substring) throws(AddressError) -> URL {
        let plain = "plain/"
        var source: String
        if text.hasPrefix(plain) {
            source = String(text.dropFirst(plain.count))
            if !Self.hasScheme(source) {
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
        return try url(source)
    }

    /// The URL of a source without its fragment.
    ///
    /// Its authority is what stands in the text, byte by byte: no parser that reads the text in another way finds
    /// another host or port there.
    private func url(_ text: String) throws(AddressError) -> URL {
        guard Self.hasScheme(text), var parts = URLComponents(string: text), let mark = text.firstRange(of: "://")
        else {
            throw .source("The source is not an http or https URL.")
        }
        let authority = text[mark.upperBound...].utf8.prefix { !"/?#".utf8.contains($0) }
        guard !authority.contains(UInt8(ascii: "@")) else { throw .source("The source has a user or a password.") }
        let isObject = text.prefix(3).lowercased() == "s3:"
        guard !isObject || parts.fragment == nil else { throw .source("The key of an object has # as %23.") }
        parts.fragment = nil
        guard authority.allSatisfy(Self.isOfAuthority), let url = parts.url, let name = url.host(), !name.isEmpty,
            url.scheme?.lowercased() == text[..<mark.lowerBound].lowercased(), 1...65_535 ~= url.port ?? 1,
            case let host = name.contains(":") ? "[\(name)]" : name,
            String(authority)?.lowercased() == (host + (url.port.map { ":\($0)" } ?? "")).lowercased()
        else { throw .source("The host or the port of the source is not written as in https://example.com:8443/.") }
        guard !isObject || buckets.contains(name) else { throw .source("The source is in no bucket of this server.") }
        return url
    }

    /// Letters, digits, and the signs of names, IPv6 addresses and ports.
    private static func isOfAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~:[]".utf8.contains(byte)
        }
    }

    private static func hasScheme(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://" || start.hasPrefix("s3://")
    }
}
