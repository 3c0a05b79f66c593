// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import PlatformBasics
import TaskCoordination

extension ImageLoadError {
    /// Whether an early retry cannot succeed: the picture is missing, or the file is not a picture.
    var isLasting: Bool { isGone || code == .undecodable }

    /// Whether every variant of the address fails alike. Limits on what a decoder may do depend on the variant.
    var isOfAddress: Bool {
        guard let cause = cause as? ImageError else { return true }
        return [.unknownFormat, .unsupportedFormat, .malformed].contains(cause.code)
    }

    /// The error that a caller sees for an error of a lower layer. `CancellationError` passes unchanged.
    static func mapping(_ error: any Error, url: URL?) -> any Error {
        // The other parts are named where they are called.
        guard let error = error as? CoordinationError else { return ofHook("cache", error, url) }
        return switch error.code {
        case .overloaded:
            ImageLoadError(
                code: .overloaded, message: "Too many loads are waiting.",
                advice: "Try again later, or raise the limit.", url: url, cause: error)
        case .queueTimedOut:
            ImageLoadError(
                code: .queueTimedOut,
                message: "The download waited too long for a slot.",
                advice: "Try again later, or raise `queueTimeout` or the number of downloads at once.", url: url,
                cause: error)
        default: ImageLoadError.shutDown(url)
        }
    }

    static func undecodable(_ error: ImageError, _ url: URL, contentType: String?) -> ImageLoadError {
        var message = error.summary
        if error.code == .unknownFormat, let contentType { message += " The origin calls it \"\(contentType)\"." }
        return ImageLoadError(
            code: .undecodable, message: message, advice: error.advice, url: url, cause: error)
    }

    /// The error that a caller sees for an error of a hook. `CancellationError`, and errors that are in the shape of
    /// this module, pass unchanged.
    static func ofHook(_ name: String, _ error: any Error, _ url: URL?, _ code: Code = .hookFailed) -> any Error {
        if error is CancellationError || error is ImageLoadError { return error }
        return ImageLoadError(
            code: code, message: "The `\(name)` of this load has thrown: \(error).", url: url, cause: error)
    }

    /// The same for a part whose call waits in the queues of this module, whose errors pass, too.
    static func ofPart(_ name: String, _ error: any Error, _ url: URL, _ code: Code) -> any Error {
        error is CoordinationError ? error : ofHook(name, error, url, code)
    }

    static func unexpectedConfirmation(_ url: URL) -> ImageLoadError {
        ImageLoadError(
            code: .unacceptableStatus, message: "The origin confirmed a picture that it was not asked about.",
            url: url, status: 304)
    }

    static func shutDown(_ url: URL?) -> ImageLoadError {
        ImageLoadError(
            code: .shutDown, message: "Loading has been shut down; make a new image manager or downloader.", url: url)
    }
}
