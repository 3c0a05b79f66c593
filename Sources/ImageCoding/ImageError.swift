// SPDX-License-Identifier: MIT
/// Why a picture could not be read, changed or written.
///
/// Cancellation is not among them: it is thrown as `CancellationError`.
public struct ImageError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// The bytes end before the end of the picture.
        public static let truncated = Code(description: "truncated")
        /// The bytes break the rules of their format.
        public static let malformed = Code(description: "malformed")
        /// The bytes match no known signature.
        public static let unknownFormat = Code(description: "unknownFormat")
        /// The format is known, but no coder here reads or writes it (or this variety of it).
        public static let unsupportedFormat = Code(description: "unsupportedFormat")
        /// The picture is beyond one of the ``ImageLimits``, or beyond what the format can hold.
        public static let tooLarge = Code(description: "tooLarge")
        /// Decoding would take more memory than ``ImageLimits/maximumByteCount`` allows.
        ///
        /// A smaller thumbnail may fit.
        public static let memoryLimitExceeded = Code(description: "memoryLimitExceeded")
        /// Decoding needed more work than ``ImageLimits/maximumDrawnPixelCount`` or
        /// ``ImageLimits/maximumProcessorTime`` allows.
        public static let workLimitExceeded = Code(description: "workLimitExceeded")
        /// The request makes no sense, such as a crop outside the picture.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// A library ran out of memory.
        public static let outOfMemory = Code(description: "outOfMemory")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it, for logs.
    public let message: String
    /// The place in the file, when known.
    public let byteOffset: Int?
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened and what to do about it.
    ///   - byteOffset: The place in the file, when known.
    ///   - cause: The underlying error, if any.
    public init(code: Code, message: String, byteOffset: Int? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.byteOffset = byteOffset
        self.cause = cause
    }
}

extension ImageError: CustomStringConvertible {
    /// The code, the message and the place, on one line.
    public var description: String {
        let place = byteOffset.map { " (at byte \($0))" } ?? ""
        return "ImageError.\(code): \(message)\(place)"
    }
}

extension ImageError {
    /// Whether the file is at fault, and the pixels so far may be shown.
    var isDamage: Bool { code == .truncated || code == .malformed }
}
