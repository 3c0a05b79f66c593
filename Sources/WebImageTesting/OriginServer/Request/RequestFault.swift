// SPDX-License-Identifier: MIT
/// Why a request is refused, and with which status.
struct RequestFault: Error, Equatable {
    let status: Int
    let message: String

    static func malformed(_ message: String) -> RequestFault { RequestFault(status: 400, message: message) }
    static let headTooLarge = RequestFault(status: 431, message: "The request's head is too large.")
    static let bodyTooLarge = RequestFault(status: 413, message: "The request's body is too large.")
    static let unknownCoding = RequestFault(status: 501, message: "The only known transfer coding is chunked.")
    static let unknownVersion = RequestFault(status: 505, message: "The known versions are 1.0 and 1.1.")
    static let unknownExpectation = RequestFault(status: 417, message: "The only known expectation is 100-continue.")
}
