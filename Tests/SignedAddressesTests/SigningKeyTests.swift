// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import SignedAddresses

@Suite struct SigningKeyTests {
    @Test func `no text of a key tells its secret`() throws {
        let addresses = SignedAddresses(keys: [
            try #require(SigningKey(hexadecimal: String(repeating: "5a", count: 32)))
        ])
        var text = "\(addresses)" + String(reflecting: addresses)
        dump(addresses, to: &text)
        expectAll(text.contains("SigningKey"), !text.contains("90"), !text.contains("5a"))
    }

    @Test func `a key is hexadecimal digits, and no sign`() {
        for pair in ["-0", "+0", "0x", " 0", "0\0", "é", "g0"] {
            expectNil(SigningKey(hexadecimal: String(repeating: pair, count: 16)), "\(pair)")
        }
        for count in [0, 31, 32, 33, 512, 513, 514] {
            let isKey = SigningKey(hexadecimal: String(String(repeating: "aF09", count: 200).prefix(count))) != nil
            expectEqual(isKey, count == 32 || count == 512, "\(count)")
        }
    }

    @Test func `the whole signature is compared`() throws {
        let key = try required(SigningKey(hexadecimal: String(repeating: "5a", count: 32)))
        let text = "w10/aHR0cDovL2EvYi5wbmc"
        let valid = Array(key.signature(of: text))
        expect(SigningKey.isValid(Substring(String(valid)), of: text, by: [key]))
        for place in valid.indices {
            for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
                guard letter != valid[place] else { continue }
                var other = valid
                other[place] = letter
                expect(!SigningKey.isValid(Substring(String(other)), of: text, by: [key]), "\(letter) at \(place)")
            }
            expect(!SigningKey.isValid(Substring(String(valid[..<place])), of: text, by: [key]))
        }
        expect(!SigningKey.isValid(Substring(String(valid) + "A"), of: text, by: [key]))
    }
}
