// SPDX-License-Identifier: MIT
/// An address that is not valid, or cannot be made.
public struct SignedAddressError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// The text does not have the parts of an address.
        public static let unknownAddress = Code(description: "unknownAddress")
        /// The options have a character that no option has, or end with a time that is not a number of seconds.
        public static let invalidOptions = Code(description: "invalidOptions")
        /// The source is neither base64url nor `plain/` and a URL, or not an `http`, `https` or `s3` URL.
        public static let invalidSource = Code(description: "invalidSource")
        /// No key has made the signature, or the address has none, or there is no key to sign with.
        public static let invalidSignature = Code(description: "invalidSignature")
        /// The end of the address has come.
        public static let expiredAddress = Code(description: "expiredAddress")
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong, in words that a client may see.
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
