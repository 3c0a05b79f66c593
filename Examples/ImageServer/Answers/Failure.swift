// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// What a client and the log are told about a load that failed.
struct Failure: Equatable {
    var status: Int
    /// A stable name for programs.
    var code: String
    /// What went wrong, for the client: no address, no setting, no text of a library.
    var detail: String
    /// What went wrong and what to do about it, for the log; `nil` when that is ``detail``.
    var message: String?
    /// Seconds after which the client may try again.
    var retryAfter: Int?
    /// Seconds since the failure, when it is remembered.
    var age: Int?
    /// Whether a load failed, and not the request itself.
    var isOfLoad = false

    init(status: Int, code: String, detail: String, retryAfter: Int? = nil) {
        self.status = status
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    init(_ error: any Error) {
        switch error {
        case let error as AddressError: self.init(status: error.status, code: error.code, detail: error.detail)
        case is CancellationError:
            self.init(status: 503, code: "cancelled", detail: "The server is shutting down.", retryAfter: 1)
        case let error as ImageLoadError: self.init(error)
        default:
            self.init(status: 500, code: "internal", detail: "The server failed.")
            message = "\(error)"
        }
    }

    /// The options that help, by the reason of the failure.
    private static let options = [
        "addressNotAllowed": "--allow-network and --allow-host say what may be fetched.",
        "bodyTooLarge": "--max-bytes BYTES raises the limit.",
        "overloaded": "--queue COUNT lets more loads wait.",
        "queueTimedOut": "--downloads COUNT lets more originals arrive at once.",
        "tooLarge": "--max-pixels COUNT raises the limit of pixels.",
        "truncated": "--fail-on never serves what is there.",
        "unsupportedFormat": "It takes JPEG, PNG, GIF, WebP, BMP and ICO.",
    ]

    private init(_ error: ImageLoadError) {
        let status = error.suggestedHTTPStatus
        // An origin that asks for patience gets more of it than this server's own queue.
        let patience = error.status == status ? 10 : 1
        self.init(
            status: status, code: error.reason, detail: error.publicMessage,
            retryAfter: status == 429 || status == 503 ? patience : nil)
        let advice = Self.options[error.reason].map { " \($0)" } ?? ""
        message = error.summary + advice + (error.code == .recentlyFailed ? " It is tried again after a while." : "")
        age = error.failedAt.map { Int(min(max(0, -$0.timeIntervalSinceNow), 1e9)) }
        isOfLoad = true
    }

    /// The answer with this failure.
    func answer(id: String) -> Answer {
        var answer = Answer.problem(status, detail, code: code, id: id)
        answer.fields += fields
        return answer
    }

    /// The fields of every answer with this failure.
    var fields: [(name: String, value: String)] {
        [("Retry-After", retryAfter), ("Age", age)].compactMap { name, seconds in seconds.map { (name, String($0)) } }
    }
}
