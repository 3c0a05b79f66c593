// SPDX-License-Identifier: MIT
import SignedAddresses

/// An address that is not served.
struct AddressError: Error, Equatable {
    /// 400, 403 or 404.
    let status: Int
    /// A stable name for programs.
    let code: String
    /// What is wrong, for a human reader.
    let detail: String

    static func option(_ word: some StringProtocol, _ reason: String) -> AddressError {
        AddressError(status: 400, code: "invalidOptions", detail: "The option \"\(word.prefix(40))\" \(reason).")
    }

    static func source(_ reason: String) -> AddressError {
        AddressError(status: 400, code: "invalidSource", detail: reason)
    }
}

extension AddressError {
    init(_ error: SignedAddressError) {
        self.init(status: error.suggestedHTTPStatus, code: error.code.description, detail: error.message)
    }
}
