#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a request was not sent or not answered in full.
///
/// Status codes are not errors; cancellation is `CancellationError`.
public struct HTTPError: Error, Sendable {
    /// The kind of failure, to decide on.
    public let code: Code
    /// What happened and what to do about it, for people.
    public let message: String
    /// The error behind this one, if any.
    public let cause: (any Error)?
    /// The URL of the hop which failed.
    public let url: URL?
    /// The status, when a head had been received.
    public let status: Int?

    /// Makes an error.
    public init(
        code: Code, message: String, cause: (any Error)? = nil, url: URL? = nil, status: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.url = url
        self.status = status
    }
}

extension HTTPError: CustomStringConvertible {
    /// The code, the message, and the URL and status where known.
    public var description: String {
        var text = "\(code): \(message)"
        if let status { text += " [status \(status)]" }
        if let url { text += " [\(url.absoluteString)]" }
        return text
    }
}

extension HTTPError {
    /// The same error, with the place where it happened.
    func at(_ url: URL, _ status: Int?) -> HTTPError {
        HTTPError(code: code, message: message, cause: cause, url: url, status: status)
    }
}
