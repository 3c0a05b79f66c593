// SPDX-License-Identifier: MIT
/// Why a request is refused, and with which status.
struct RequestFault: Equatable {
    let status: Int
    let message: String
}

extension ConnectionEnd {
    static func malformed(_ message: String) -> ConnectionEnd { refused(400, message) }
    static let headTooLarge = refused(431, "The request's head is too large.")
    static let bodyTooLarge = refused(413, "The request's body is too large.")
    static let unknownCoding = refused(501, "The only known transfer coding is chunked.")
    static let unknownVersion = refused(505, "The known versions are 1.0 and 1.1.")
    static let unknownExpectation = refused(417, "The only known expectation is 100-continue.")

    private static func refused(_ status: Int, _ message: String) -> ConnectionEnd {
        .refused(RequestFault(status: status, message: message))
    }
}
