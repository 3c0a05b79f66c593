import Foundation
import WebImage

extension Outcome {
    /// A line for the terminal and for `grep`.
    var line: String {
        switch result {
        case .success(let picture):
            let size = "\(picture.width)x\(picture.height)" + (picture.frames > 1 ? "x\(picture.frames)" : "")
            let columns = [
                (picture.source.rawValue, 7), (picture.format.name, 4), (size, 14), ("\(picture.bytes) bytes", 16),
                ("\(milliseconds) ms", 8),
            ]
            let table = columns.map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }
            return (table + [picture.file, url]).joined(separator: "  ").printable
        case .failure(let failure):
            return "failed   \(failure.code): \(failure.message)  \(url)".printable
        }
    }

    /// One JSON object on one line (RFC 8259).
    var json: String {
        switch result {
        case .success(let picture):
            #"{"url":\#(url.quotedJSON),"ok":true,"source":"\#(picture.source.rawValue)","#
                + #""format":\#(picture.format.name.quotedJSON),"width":\#(picture.width),"#
                + #""height":\#(picture.height),"frames":\#(picture.frames),"bytes":\#(picture.bytes),"#
                + #""file":\#(picture.file.quotedJSON),"milliseconds":\#(milliseconds)}"#
        case .failure(let failure):
            #"{"url":\#(url.quotedJSON),"ok":false,"error":{"code":\#(failure.code.quotedJSON),"#
                + #""message":\#(failure.message.quotedJSON)}}"#
        }
    }
}
