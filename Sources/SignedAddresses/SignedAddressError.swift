// SPDX-License-Identifier: MIT

/// An address that is not valid, or cannot be made.
public struct SignedAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// The text has not the parts of an address.
        public static let unknownAddress = Code(description: "unknownAddress")
        /// The options have signs that none has, or end with a time that is not seconds.
        public static let invalidOptions = Code(description: "invalidOptions")
        /// The source is not written as an address has it, or is no `http`, `https` or `s3` URL.
        public static let invalidSource = Code(description: "invalidSource")
        /// No key has made the signature, or there is none.
        public static let invalidSignature = Code(description: "invalidSignature")
        /// The end of the address has come.
        public static let expiredAddress = Code(description: "expiredAddress")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong. It has nothing that the client may not see.
    public let message: String

    /// The status of an HTTP response: 400, 403 or 404.
    public var suggestedHTTPStatus: Int {
        switch code {
        case .unknownAddress: 404
        case .invalidSignature, .expiredAddress: 403
        default: 400
        }
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
