import Foundation
import WebImage

/// How one URL ended.
struct Outcome: Sendable {
    let url: String
    let milliseconds: Int
    let result: Result<Picture, Failure>

    struct Picture: Sendable {
        let source: ImageSource
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
            case let error as ImageLoadError:
                self.init(code: error.reason, message: error.message)
            case let error as CocoaError:
                self.init(code: "cannotWrite", message: error.localizedDescription)
            default:
                self.init(code: "failed", message: "\(error)")
            }
        }
    }

    var succeeded: Bool { if case .success = result { true } else { false } }

    /// A line for people and for `grep`.
    var line: String {
        switch result {
        case .success(let picture):
            let size = "\(picture.width)x\(picture.height)" + (picture.frames > 1 ? "x\(picture.frames)" : "")
            let columns = [
                (picture.source.rawValue, 7), (picture.format.name, 4), (size, 14), ("\(picture.bytes) bytes", 16),
                ("\(milliseconds) ms", 8),
            ]
            return columns.map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
                .joined(separator: "  ") + "  \(picture.file)  \(url)"
        case .failure(let failure):
            return "failed   \(failure.code): \(failure.message)  \(url)"
        }
    }

    /// One JSON object on one line (RFC 8259).
    var json: String {
        switch result {
        case .success(let picture):
            return #"{"url":\#(Self.quoted(url)),"ok":true,"source":"\#(picture.source.rawValue)","#
                + #""format":"\#(picture.format.name)","width":\#(picture.width),"height":\#(picture.height),"#
                + #""frames":\#(picture.frames),"bytes":\#(picture.bytes),"file":\#(Self.quoted(picture.file)),"#
                + #""milliseconds":\#(milliseconds)}"#
        case .failure(let failure):
            return #"{"url":\#(Self.quoted(url)),"ok":false,"error":{"code":\#(Self.quoted(failure.code)),"#
                + #""message":\#(Self.quoted(failure.message))}}"#
        }
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let data = try? encoder.encode(text) else { return "\"\"" }
        return String(decoding: data, as: UTF8.self)
    }
}
