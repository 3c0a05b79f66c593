// SPDX-License-Identifier: MIT
import SignedAddresses
import TestSupport
import Testing

/// The examples of the front page, word for word.
@Suite struct DocumentationTests {
    private struct Failure: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    private func key(_ digits: String) throws -> SigningKey {
        guard let key = SigningKey(hexadecimal: digits) else {
            throw Failure("The key is 32 hexadecimal digits or more.")
        }
        return key
    }

    private func answer(_ target: String, _ addresses: SignedAddresses) -> String {
        do throws(SignedAddressError) {
            let address = try addresses.read(target)
            return "make \(address.options) of \(address.source)"
        } catch {
            return "\(error.suggestedHTTPStatus) \(error.message)"
        }
    }

    @Test func `a page has an address that the server reads`() throws {
        let key = try key(String(repeating: "c4", count: 32))
        let addresses = SignedAddresses(keys: [key])
        let path = try addresses.path(
            options: "w320,h240,fill", source: "https://example.com/photo.jpg")
        let page = "<img src=\"https://images.example.com\(path)\">"
        #expect(page.hasSuffix("/aHR0cHM6Ly9leGFtcGxlLmNvbS9waG90by5qcGc\">"))
        expectEqual(answer(path, addresses), "make w320,h240,fill of https://example.com/photo.jpg")
        expectEqual(answer(path + "x", addresses), "403 The signature does not belong to this address.")
        expectError(Failure.self) { try self.key("c4") }
    }
}
