// SPDX-License-Identifier: MIT
/// Why an ``OriginServer`` or a ``TestCertificate`` could not be set up.
public struct OriginError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as in the source.
        public let description: String

        /// The system refused a socket, a thread or a descriptor.
        public static let system = Code(description: "system")
        /// A certificate could not be made or written, or a server cannot use it.
        public static let certificate = Code(description: "certificate")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it.
    public let message: String
    /// The `errno` of the failed call, where there was one.
    public let errorNumber: Int32?

    init(_ code: Code, _ message: String, errorNumber: Int32? = nil) {
        self.code = code
        self.message = message
        self.errorNumber = errorNumber
    }

    /// The code and the message, with the number of the system's error where there is one.
    public var description: String {
        guard let errorNumber else { return "\(code): \(message)" }
        return "\(code): \(message) (errno \(errorNumber))"
    }
}
