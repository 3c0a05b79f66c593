// SPDX-License-Identifier: MIT
import WebImage

extension Outcome {
    /// One JSON object on one line (RFC 8259).
    var json: String {
        var fields = [("url", url.quotedJSON), ("ok", "\(succeeded)")]
        if case .success(let picture) = result { fields.append(("source", picture.source.rawValue.quotedJSON)) }
        if let answer {
            fields.append(("status", "\(answer.status)"))
            if let type = answer.contentType { fields.append(("contentType", type.quotedJSON)) }
        }
        switch result {
        case .success(let picture):
            fields += [
                ("format", picture.format.name.quotedJSON), ("width", "\(picture.width)"),
                ("height", "\(picture.height)"), ("frames", "\(picture.frames)"), ("bytes", "\(picture.bytes)"),
                ("file", picture.file.quotedJSON),
            ]
            if !picture.damage.isEmpty { fields.append(("damage", picture.damage.description.quotedJSON)) }
            if let total = picture.transfer?.total {
                fields.append(("transferMilliseconds", "\(Int(total / .milliseconds(1)))"))
            }
            fields.append(("milliseconds", "\(milliseconds)"))
        case .failure(let failure):
            let error = #"{"code":\#(failure.code.quotedJSON),"message":\#(failure.message.quotedJSON)}"#
            fields += [("milliseconds", "\(milliseconds)"), ("error", error)]
        }
        return "{" + fields.map { #""\#($0)":\#($1)"# }.joined(separator: ",") + "}"
    }
}
