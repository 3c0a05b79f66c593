// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding

extension ImageLoadError {
    /// The status with which a server answers its own client when it could not load a picture.
    ///
    /// 400 for a request that says nothing, 403 for what may not be asked, 404 for a missing picture, 413 for one
    /// beyond a limit, 415 for no picture, 422 for a broken one, 429, 502 and 504 for a failing origin, 503 for too
    /// much work, 500 for the rest. A remembered failure has the status of the first one.
    public var suggestedHTTPStatus: Int {
        if code == .recentlyFailed, let first = cause as? ImageLoadError { return first.suggestedHTTPStatus }
        if let cause = cause as? HTTPError, status == nil || code == .transferFailed { return cause.statusOfServer }
        if let cause = cause as? ImageError { return cause.statusOfServer }
        return switch code {
        case .unacceptableStatus: Self.status(ofOrigin: status ?? 0)
        case .unacceptableContentType: 415
        case .undecodable: 422
        case .overloaded, .queueTimedOut, .shutDown: 503
        case .refused: 403
        case .emptyBody, .transferFailed: 502
        case .notInCache: 404
        default: 500
        }
    }

    /// What a server may tell its own client: one text for each ``suggestedHTTPStatus``.
    ///
    /// It names no address, setting or library. ``message`` does, and is for the operator's log.
    public var publicMessage: String {
        switch suggestedHTTPStatus {
        case 400: "The address is not one of a picture."
        case 403: "The picture may not be asked for."
        case 404: "There is no picture at this address."
        case 413: "The picture is too large."
        case 415: "The file is no picture of a known format."
        case 422: "The file of the picture is damaged."
        case 429: "The origin of the picture wants fewer requests; try again later."
        case 502: "The origin of the picture did not answer as it should."
        case 503: "The picture cannot be loaded now; try again in a moment."
        case 504: "The origin of the picture did not answer in time."
        default: "The picture could not be loaded."
        }
    }

    /// Whether the same request may succeed a short while later, without a change of it or of the picture.
    public var isRetryable: Bool { [429, 502, 503, 504].contains(suggestedHTTPStatus) }

    private static func status(ofOrigin status: Int) -> Int {
        switch status {
        case 404, 410: 404
        case 401, 403: 403
        case 429, 503, 504: status
        default: 502
        }
    }
}

extension HTTPError {
    fileprivate var statusOfServer: Int {
        switch code {
        case .invalidRequest, .unsupportedURL: 400
        case .addressNotAllowed, .fileNotAllowed, .redirectNotAllowed: 403
        case .bodyTooLarge, .compressionRatioExceeded: 413
        case .timedOut: 504
        case .overloaded, .tooManyOpenFiles, .circuitOpen, .shutDown: 503
        default: 502
        }
    }
}

extension ImageError {
    fileprivate var statusOfServer: Int {
        switch code {
        case .unknownFormat, .unsupportedFormat: 415
        case .tooLarge, .memoryLimitExceeded, .workLimitExceeded: 413
        case .invalidRequest: 400
        case .outOfMemory: 503
        default: 422
        }
    }
}
