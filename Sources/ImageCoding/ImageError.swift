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
    /// What happened and what to do about it, for logs: the summary and the advice.
    public var message: String { advice.map { "\(summary) \($0)" } ?? summary }
    /// What happened.
    public let summary: String
    /// What a program that uses this library can do about it, in the library's names of settings and types; `nil` for
    /// nothing of the kind. A command says its own option in place of it, by the code.
    public let advice: String?
    /// The place in the file, when known.
    public let byteOffset: Int?
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened: the summary.
    ///   - advice: What a program can do about it, if anything.
    ///   - byteOffset: The place in the file, when known.
    ///   - cause: The underlying error, if any.
    public init(
        code: Code, message: String, advice: String? = nil, byteOffset: Int? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        (summary, self.advice) = (message, advice)
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
    package var isDamage: Bool { code == .truncated || code == .malformed }
}

/// What is wrong with a file whose picture was decoded all the same.
///
/// Damage that no rule of the format is broken by goes unnoticed: JPEG and WebP have no checksums.
public struct ImageDamage: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Creates a value from bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The file ends early, and every pixel is there.
    ///
    /// In an animation, every pixel of the frames that the file has.
    public static let missingEnd = ImageDamage(rawValue: 1)
    /// Pixels or frames are missing. Missing pixels are grey in a JPEG and transparent in the other formats.
    ///
    /// Only with ``DamagePolicy/never``.
    public static let missingPixels = ImageDamage(rawValue: 2)
    /// Data break the rules of their format, so pixels may be wrong.
    ///
    /// Never with ``DamagePolicy/anyDamage``.
    public static let corruptData = ImageDamage(rawValue: 4)
    /// The file was not decoded, so it is not known what is wrong with it. Only of a file that a cache keeps unseen.
    public static let notExamined = ImageDamage(rawValue: 8)
}

extension ImageDamage: CustomStringConvertible {
    /// The names of the damage, separated by commas; empty without damage.
    public var description: String {
        let names: [(ImageDamage, String)] = [
            (.missingEnd, "missing end"), (.missingPixels, "missing pixels"), (.corruptData, "corrupt data"),
            (.notExamined, "not examined"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}

/// Which damage of a file makes its decode fail.
///
/// A damaged picture says so in ``DecodedImage/damage``. A file without a whole header fails with every policy, and so
/// does one beyond the limits.
public enum DamagePolicy: String, Hashable, Sendable, CaseIterable {
    /// None: what can be drawn is the picture.
    ///
    /// For recovery, and for previews of a file that still arrives.
    case never
    /// Missing pixels, and broken data where the format can tell them by a checksum (PNG) or cannot continue after them
    /// (GIF, WebP).
    ///
    /// A file that only lacks its end is a picture, and so is a JPEG with broken data in a scan, as in browsers.
    case truncated
    /// Everything that the library notices.
    case anyDamage

    /// Whether a picture with this damage is one under the policy, without another look at its file. Broken data are
    /// not: what they are worth depends on the format.
    package func surelyAccepts(_ damage: ImageDamage) -> Bool {
        switch self {
        case .never: true
        case .truncated: damage.subtracting(.missingEnd).isEmpty
        case .anyDamage: damage.isEmpty
        }
    }
}
