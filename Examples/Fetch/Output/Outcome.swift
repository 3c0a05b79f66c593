// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// How one URL ended.
struct Outcome: Sendable {
    let url: String
    /// From the start of the load to its end, the wait for a free slot included.
    let milliseconds: Int
    /// What the origin answered in this run; `nil` when it was not asked, or did not answer.
    var answer: Answer?
    let result: Result<Picture, Failure>

    /// The head of the last response.
    struct Answer: Sendable, Equatable {
        let status: Int
        let contentType: String?
    }

    /// Where a picture came from.
    enum Source: String, Sendable, CaseIterable {
        case memory, disk, network
        /// A file of this machine, or standard input.
        case file
        /// From the cache, after the origin has confirmed it.
        case revalidated
    }

    struct Picture: Sendable {
        var source: Source
        let format: ImageFormat
        let width: Int
        let height: Int
        let frames: Int
        let bytes: Int
        let file: String
        /// The measurements of the transfer, when there was one.
        var transfer: HTTPMetrics?
        /// What is wrong with the original.
        var damage: ImageDamage = []
        /// What shows the picture on the terminal, when that is asked for.
        var painting: String?
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
            case let error as ImageLoadError:
                self.init(code: error.reason, message: Advice.message(for: error))
            default: self.init(code: "failed", message: "\(error)")
            }
        }
    }

    var succeeded: Bool { if case .success = result { true } else { false } }

    /// The outcome of another line with the same URL: the picture that has already been fetched.
    var again: Outcome {
        Outcome(
            url: url, milliseconds: 0, answer: answer,
            result: result.map { picture in
                var picture = picture
                picture.source = .memory
                picture.transfer = nil
                return picture
            })
    }
}

extension Outcome.Source {
    init(_ file: EncodedImage) {
        switch file.source {
        case .network: self = .network
        case _ where file.origin?.metrics != nil: self = .revalidated
        case .disk: self = .disk
        case .memory: self = .memory
        case .program: self = .file
        }
    }
}
