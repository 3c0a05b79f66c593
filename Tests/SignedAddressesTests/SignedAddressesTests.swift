// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import SignedAddresses

@Suite struct SignedAddressesTests {
    private static let source = "https://example.com/a.jpg?x=1"
    private let keys = ["01", "02"].map { SigningKey(hexadecimal: String(repeating: $0, count: 32))! }
    private let unsigned = SignedAddresses(keys: [], allowsUnsigned: true)

    private func code(_ path: String, _ addresses: SignedAddresses) -> SignedAddressError.Code? {
        do throws(SignedAddressError) {
            _ = try addresses.read(path, at: 1_000)
            return nil
        } catch {
            return error.code
        }
    }

    private func code(making options: String, _ source: String, isPlain: Bool = false) -> SignedAddressError.Code? {
        do throws(SignedAddressError) {
            _ = try SignedAddresses(keys: keys).path(options: options, source: source, isPlain: isPlain)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [true, false]) func `what is made is read, with its end`(isPlain: Bool) throws {
        let addresses = SignedAddresses(keys: keys)
        for options in ["w320,h240,fill", "card", "exp5", "g30:60_b-C.d"] {
            for expiry in [nil, 1_001, 999_999_999_999] {
                let path = try addresses.path(options: options, source: Self.source, isPlain: isPlain, expiry: expiry)
                try expectEqual(
                    addresses.read(path, at: 1_000),
                    SignedAddress(options: options, source: Self.source, expiry: expiry))
            }
        }
        let ended = try addresses.path(options: "w1", source: Self.source, isPlain: isPlain, expiry: 1_000)
        expectEqual(code(ended, addresses), .expiredAddress)
        // Without a time of the caller's, the system's decides.
        expectError(SignedAddressError.self) { try addresses.read(ended) }
    }

    @Test func `the first key signs, each is valid, and no key signs nothing`() throws {
        let path = try SignedAddresses(keys: keys).path(options: "w1", source: Self.source)
        try expectEqual(path, SignedAddresses(keys: [keys[0]]).path(options: "w1", source: Self.source))
        expectNil(code(path, SignedAddresses(keys: keys)))
        expectNil(code(path, SignedAddresses(keys: [keys[1], keys[0]])))
        expectEqual(code(path, SignedAddresses(keys: [keys[1]])), .invalidSignature)
        expectEqual(code(path, SignedAddresses(keys: [])), .invalidSignature)
        expectEqual(code(path, unsigned), .invalidSignature)
        let error = expectError(SignedAddressError.self) {
            try SignedAddresses(keys: []).path(options: "w1", source: Self.source)
        }
        expectEqual(error?.code, .invalidSignature)
        let open = try unsigned.path(options: "w1", source: Self.source, isPlain: true)
        expectEqual(open, "/w1/unsigned/plain/\(Self.source)")
        expectNil(code(open, unsigned))
        expectEqual(code(open, SignedAddresses(keys: keys)), .invalidSignature)
    }

    @Test func `options that are no part of a path are not signed`() {
        for options in [
            "", "..", ".", "w1/unsigned", "w1?x", "w1#", "w 1", "w%31", "bücher", "w1\r\n", "w1,exp", "w1,exp-1",
        ] {
            expectEqual(code(making: options, Self.source), .invalidOptions, "\(options)")
        }
        let error = expectError(SignedAddressError.self) {
            try SignedAddresses(keys: keys).path(options: "", source: Self.source, expiry: 2_000)
        }
        expectEqual(error?.code, .invalidOptions)
    }

    @Test func `sources that no server reads are not signed`() {
        for source in ["", "/a.jpg", "ftp://example.com/a", "javascript:alert(1)", "https:/a", " https://a/"] {
            expectEqual(code(making: "w1", source), .invalidSource, "\(source)")
        }
        for source in [
            "https://example.com/ä", "https://example.com/a b", "https://example.com/a#b", "https%3", "a%2Fb",
            "https://example.com/\u{7F}",
        ] {
            expectEqual(code(making: "w1", source, isPlain: true), .invalidSource, "\(source)")
        }
        for source in ["https://example.com/ä b#c", "HTTPS://example.com/", "Http://a", "S3://a/b"] {
            expectNil(code(making: "w1", source), "\(source)")
        }
    }

    @Test func `the parts of an address are found, and each kind of failure has its status`() {
        for path in [
            "", "/", "/w1", "/w1/unsigned", "/w1/unsigned/", "//unsigned/plain/http://a/", "w1/unsigned/plain/x",
        ] {
            expectEqual(code(path, unsigned), .unknownAddress, "\(path)")
        }
        for end in ["1e3", "", "1000000000000"] {
            expectEqual(code("/w1,exp\(end)/unsigned/plain/http://a/", unsigned), .invalidOptions, "\(end)")
        }
        // A wrong signature learns nothing else, and a source is decoded once.
        expectEqual(code("/w1,exp1e3/x/plain/http://a/", SignedAddresses(keys: keys)), .invalidSignature)
        let address = try? unsigned.read("/w1/unsigned/plain/http%3A%2F%2Fa%2F%2541", at: 1_000)
        expectEqual(address?.source, "http://a/%41")
        expectEqual(code("/w1/unsigned/plain/ftp://a/", unsigned), .invalidSource)
        let statuses = [
            .unknownAddress, .invalidOptions, .invalidSource, .invalidSignature, .expiredAddress,
        ].map { SignedAddressError(code: $0, message: "").suggestedHTTPStatus }
        expectEqual(statuses, [404, 400, 400, 403, 403])
    }
}
