import WebImage

/// How one URL ended.
struct Outcome: Sendable {
    let url: String
    let milliseconds: Int
    let result: Result<Picture, Failure>

    struct Picture: Sendable {
        var source: ImageSource
        let format: ImageFormat
        let width: Int
        let height: Int
        let frames: Int
        let bytes: Int
        let file: String
    }

    struct Failure: Error {
        let code: String
        let message: String

        init(code: String, message: String) {
            self.code = code
            self.message = message
        }

        init(_ error: any Error) {
            switch error {
            case let error as Failure: self = error
            case let error as ImageLoadError: self.init(code: error.reason, message: error.message)
            default: self.init(code: "failed", message: "\(error)")
            }
        }
    }

    var succeeded: Bool { if case .success = result { true } else { false } }

    /// The outcome of another line with the same URL: the picture that has already been fetched.
    var again: Outcome {
        Outcome(
            url: url, milliseconds: 0,
            result: result.map { picture in
                var picture = picture
                picture.source = .memory
                return picture
            })
    }
}
