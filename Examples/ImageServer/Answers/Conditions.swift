// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics

extension Answer {
    /// The answer to a request with conditions: the same, 304, 206 or 416.
    ///
    /// Expects an answer with status 200 and the fields `ETag` and, where it is known, `Last-Modified`.
    /// - Source: RFC 9110, sections 13.2.2 and 14.2.
    func applying(_ request: ServerRequest) -> Answer {
        if isUnchanged(for: request) {
            let kept: Set = ["ETag", "Cache-Control", "Vary", "Last-Modified", "Cache-Status"]
            // The body stays for its length, which the head tells.
            var answer = self
            answer.status = 304
            answer.fields.removeAll { !kept.contains($0.name) }
            return answer
        }
        guard request.method == "GET", let field = request.fields.range, mayBePartial(request.fields.ifRange) else {
            return self
        }
        switch ByteRange(field, byteCount: body.count) {
        case .ignored: return self
        case .unsatisfiable:
            var answer = Answer.problem(
                416, "The picture has \(body.count) bytes.", code: "rangeNotSatisfiable", id: request.id)
            answer.fields.append(("Content-Range", "bytes */\(body.count)"))
            return answer
        case .bytes(let range):
            var answer = self
            answer.status = 206
            answer.range = range
            let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(body.count)"
            answer.fields.append(("Content-Range", place))
            return answer
        }
    }

    private func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    private func isUnchanged(for request: ServerRequest) -> Bool {
        if let tags = request.fields.ifNoneMatch {
            return tags.trimmed == "*" || Self.tags(tags).contains(field("ETag"))
        }
        guard let since = request.fields.ifModifiedSince, let modified = field("Last-Modified") else { return false }
        if since == modified { return true }
        let now = HTTPDate(.now)
        guard let since = HTTPDate(since, receivedAt: now), let modified = HTTPDate(modified, receivedAt: now) else {
            return false
        }
        return modified <= since
    }

    private func mayBePartial(_ condition: String?) -> Bool {
        guard let condition else { return true }
        return condition == field("ETag") || condition == field("Last-Modified")
    }

    /// The tags of a list. `W/` makes no difference for a comparison that asks whether a copy may be used.
    private static func tags(_ list: String) -> [String?] {
        list.split(separator: ",").map { part in
            let tag = part.trimmed
            return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        }
    }
}

/// One range of a `Range` field, whose unit is in letters of either case. Several ranges, other units and faulty fields
/// are ignored, so the whole is sent.
enum ByteRange: Equatable {
    case ignored
    case unsatisfiable
    case bytes(Range<Int>)

    init(_ field: String, byteCount: Int) {
        self = .ignored
        guard field.prefix(6).lowercased() == "bytes=", !field.contains(",") else { return }
        let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else { return }
        // A number that is too large for an integer is beyond every picture.
        let number = { (text: Substring) in text.isEmpty ? nil : Int(text) ?? .max }
        switch (number(ends[0]), number(ends[1])) {
        case (let first?, let last?) where first <= last:
            self = first < byteCount ? .bytes(first..<min(last, byteCount - 1) + 1) : .unsatisfiable
        case (let first?, nil):
            self = first < byteCount ? .bytes(first..<byteCount) : .unsatisfiable
        case (nil, let suffix?):
            self = suffix > 0 && byteCount > 0 ? .bytes(max(0, byteCount - suffix)..<byteCount) : .unsatisfiable
        default: break
        }
    }
}
