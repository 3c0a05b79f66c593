// SPDX-License-Identifier: MIT
import Foundation

/// The result of a run of the command.
struct Finished {
    /// The exit status; the number of the signal for a process that one ended.
    let status: Int32
    let wasKilled: Bool
    let output: String
    let errors: String

    struct Line: Decodable, Equatable {
        struct Failure: Decodable, Equatable {
            let code: String
            let message: String
        }

        let url: String
        let ok: Bool
        let source: String?
        let format: String?
        let width: Int?
        let height: Int?
        let frames: Int?
        let bytes: Int?
        let file: String?
        let milliseconds: Int?
        let status: Int?
        let contentType: String?
        let error: Failure?
    }

    /// The objects on standard output, one a line and nothing else.
    var lines: [Line] {
        get throws {
            try output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                .map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        }
    }

    /// The errors on standard error.
    var complaints: [Substring] { errors.split(separator: "\n") }
}
