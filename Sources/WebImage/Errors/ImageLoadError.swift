// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
public import PlatformBasics

/// Why a load ended without a picture.
///
/// Cancellation is not among the codes: a cancelled load throws `CancellationError`.
public struct ImageLoadError: Error, Sendable {
    /// A kind of failure, for callers that handle cases differently.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// A stable name for logs and machine-readable output.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The transfer failed; the cause is a ``TransportError`` that says how, or what a loader or a body of the
        /// program's own has thrown.
        public static let transferFailed = Code("transferFailed")
        /// The origin answered with a status that is not accepted.
        public static let unacceptableStatus = Code("unacceptableStatus")
        /// The origin answered with a content type that is not accepted.
        public static let unacceptableContentType = Code("unacceptableContentType")
        /// The origin answered with no bytes.
        public static let emptyBody = Code("emptyBody")
        /// The bytes are not a picture that can be decoded here; the cause is an `ImageError`, or what a decoder of the
        /// program's own has thrown.
        public static let undecodable = Code("undecodable")
        /// A transformer or an encoder failed; the cause says why.
        public static let processingFailed = Code("processingFailed")
        /// The picture is not cached, and the request does not allow a transfer.
        public static let notInCache = Code("notInCache")
        /// The same request failed a short while ago and is not tried again yet.
        public static let recentlyFailed = Code("recentlyFailed")
        /// No download slot became free within the time limit.
        public static let queueTimedOut = Code("queueTimedOut")
        /// Too much work is queued.
        public static let overloaded = Code("overloaded")
        /// A request modifier or a transport called the manager or the downloader that it works for.
        public static let reentrant = Code("reentrant")
        /// A hook or a part that the program brings has thrown; the cause is its error.
        public static let hookFailed = Code("hookFailed")
        /// The manager's hooks refuse to ask the origin.
        public static let refused = Code("refused")
        /// The manager or the downloader has been shut down.
        public static let shutDown = Code("shutDown")
    }

    /// The kind of failure.
    public let code: Code
    /// What went wrong and what to do about it, for a human reader: the summary and the advice.
    public var message: String { advice.map { "\(summary) \($0)" } ?? summary }
    /// What went wrong.
    public let summary: String
    /// What a program that uses this library can do about it, in the library's names of settings and types; `nil` for
    /// nothing of the kind. A command says its own option in place of it, by the ``reason``.
    public let advice: String?
    /// The address of the load.
    public let url: URL?
    /// The status of the response, when there was one.
    public let status: Int?
    /// The underlying error, usually a ``TransportError`` or an `ImageError`.
    public let cause: (any Error)?
    /// What the origin said, when it answered with a status that is not accepted.
    public internal(set) var origin: OriginResponse?
    /// Why the ``ImageRequest/alternatives`` failed, in order.
    public internal(set) var failuresOfAlternatives: [ImageLoadError] = []
    /// When the failure was remembered, for an error with ``Code/recentlyFailed``.
    public internal(set) var failedAt: Date?

    /// Creates an error whose summary is the message.
    public init(
        code: Code, message: String, advice: String? = nil, url: URL? = nil, status: Int? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        (summary, self.advice) = (message, advice)
        self.url = url
        self.status = status
        self.cause = cause
    }

    /// The same failure, for a load that comes too soon after it.
    func repeated() -> ImageLoadError {
        var error = ImageLoadError(
            code: .recentlyFailed,
            message: "This failed a short while ago and is not tried again yet: \(summary)",
            advice: (advice.map { $0 + " " } ?? "") + "Wait, or set `retriesFailed` on the request.", url: url,
            status: status, cause: self)
        error.failedAt = failedAt
        return error
    }

    /// The most specific name: the code of the cause where it has one, else the code itself.
    public var reason: String {
        switch cause {
        case let error as HTTPError: error.code.description
        case let error as ImageError: error.code.description
        case let error as ImageLoadError: error.reason
        default: code.description
        }
    }
}

extension ImageLoadError: CustomStringConvertible {
    /// The reason, the message and the address.
    public var description: String {
        let place = url.map { " (\($0.absoluteString))" } ?? ""
        return "\(reason): \(message)\(place)"
    }
}
