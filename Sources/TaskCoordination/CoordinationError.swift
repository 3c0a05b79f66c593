// SPDX-License-Identifier: MIT
/// Why work was refused before it began.
///
/// Cancellation is never folded into this type: a cancelled caller gets `CancellationError`.
public struct CoordinationError: Error, Sendable, Equatable {
    /// What kind of refusal it was.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code as it is spelled in the source.
        public let description: String

        /// The queue is at its limit.
        ///
        /// The work may be tried again later.
        public static let overloaded = Code(description: "overloaded")

        /// The work has waited too long in the queue.
        ///
        /// It may be tried again later.
        public static let queueTimedOut = Code(description: "queueTimedOut")

        /// The service takes no more work.
        ///
        /// Trying again does not help.
        public static let shutDown = Code(description: "shutDown")
    }

    /// What kind of refusal it was.
    public let code: Code

    /// What happened and what to do about it, in a sentence.
    public let message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension CoordinationError: CustomStringConvertible {
    /// The message, which says what to do.
    public var description: String { message }
}
