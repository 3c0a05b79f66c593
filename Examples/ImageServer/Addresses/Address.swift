// SPDX-License-Identifier: MIT
import PlatformBasics
import SignedAddresses

/// What an address of the server names, see `SignedAddresses`: a picture made of a source.
struct Address: Sendable, Hashable {
    let options: PictureOptions
    /// An `http` or `https` URL, or an `s3` one of a bucket that the server names, without its fragment.
    let source: URL
    /// Seconds since 1970; `nil` for an address without an end.
    var expiry: Int?
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

    private var addresses: SignedAddresses { SignedAddresses(keys: keys, allowsUnsigned: allowsUnsigned) }

    /// - Parameters:
    ///   - target: The target of a request, as it was sent.
    ///   - now: Seconds since 1970.
    /// - Throws: ``AddressError``.
    func read(_ target: String, at now: Int = RecentHits.now) throws(AddressError) -> Address {
        let address: SignedAddress
        do throws(SignedAddressError) {
            address = try addresses.read(target, at: now)
        } catch {
            throw AddressError(error)
        }
        return Address(options: try options(address.options), source: try url(address.source), expiry: address.expiry)
    }

    /// The address of a picture, signed with the first key.
    ///
    /// - Parameter isPlain: Whether the URL of the source stays readable.
    /// - Throws: ``AddressError`` for options or a source that the server refuses.
    func address(options: String, source: String, isPlain: Bool = false) throws(AddressError) -> String {
        let path: String
        do throws(SignedAddressError) {
            path = try addresses.path(options: options, source: source, isPlain: isPlain)
        } catch {
            throw AddressError(error)
        }
        _ = try read(path, at: -1)
        return path
    }

    private func options(_ text: String) throws(AddressError) -> PictureOptions {
        if let preset = presets[text] { return preset }
        guard !allowsPresetsOnly else {
            throw AddressError(status: 404, code: "unknownPreset", detail: "There is no preset of this name.")
        }
        return try PictureOptions(text)
    }

    /// The URL of a source without its fragment.
    ///
    /// Its authority is what stands in the text, byte by byte: no parser that reads the text in another way finds
    /// another host or port there.
    private func url(_ text: String) throws(AddressError) -> URL {
        guard var parts = URLComponents(string: text), let mark = text.firstRange(of: "://") else {
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
}
