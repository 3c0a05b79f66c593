import Foundation
import WebImage

/// What a client is told about a load that failed.
struct Failure: Equatable {
    var status: Int
    /// A stable name for programs.
    var code: String
    var detail: String
    /// Seconds after which the client may try again.
    var retryAfter: Int?

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
        default: self.init(status: 500, code: "internal", detail: "The server failed.")
        }
    }

    private init(_ error: ImageLoadError) {
        // The original failure of one that is remembered.
        let first = error.code == .recentlyFailed ? (error.cause as? ImageLoadError ?? error) : error
        let (status, retryAfter) = Self.status(of: first)
        self.init(status: status, code: error.reason, detail: error.message, retryAfter: retryAfter)
    }

    private static func status(of error: ImageLoadError) -> (Int, retryAfter: Int?) {
        switch error.cause {
        case let cause as HTTPError where error.status == nil || error.code == .transferFailed:
            return status(of: cause)
        case let cause as ImageError: return (status(of: cause), nil)
        default: break
        }
        switch error.code {
        case .unacceptableStatus: return status(ofOrigin: error.status ?? 0)
        case .unacceptableContentType: return (415, nil)
        case .undecodable: return (422, nil)
        case .overloaded, .queueTimedOut, .shutDown: return (503, 1)
        case .refused: return (403, nil)
        case .emptyBody, .transferFailed: return (502, nil)
        case .notInCache: return (404, nil)
        default: return (500, nil)
        }
    }

    private static func status(ofOrigin status: Int) -> (Int, retryAfter: Int?) {
        switch status {
        case 404, 410: (404, nil)
        case 401, 403: (403, nil)
        case 429: (429, 10)
        case 503: (503, 10)
        case 504: (504, nil)
        default: (502, nil)
        }
    }

    private static func status(of error: HTTPError) -> (Int, retryAfter: Int?) {
        switch error.code {
        case .invalidRequest, .unsupportedURL: (400, nil)
        case .addressNotAllowed, .fileNotAllowed, .redirectNotAllowed: (403, nil)
        case .bodyTooLarge, .compressionRatioExceeded: (413, nil)
        case .timedOut: (504, nil)
        case .overloaded, .tooManyOpenFiles, .circuitOpen, .shutDown: (503, 1)
        default: (502, nil)
        }
    }

    private static func status(of error: ImageError) -> Int {
        switch error.code {
        case .unknownFormat, .unsupportedFormat: 415
        case .tooLarge, .memoryLimitExceeded, .workLimitExceeded: 413
        case .invalidRequest: 400
        case .outOfMemory: 503
        default: 422
        }
    }

    /// The answer with this failure.
    func answer(id: String) -> Answer {
        var answer = Answer.problem(status, detail, code: code, id: id)
        if let retryAfter { answer.fields.append(("Retry-After", String(retryAfter))) }
        return answer
    }
}
