// SPDX-License-Identifier: MIT
internal import HTTPTransport
internal import PlatformBasics

/// Applies the conditions and the range of a request to a reply.
///
/// - Source: RFC 9110, sections 13.2.2 (order of the conditions) and 14.2.
struct ConditionalReply {
    let reply: OriginReply
    let request: OriginRequest

    /// The reply, or 304, 412, 206 or 416 in its place.
    func resolved() -> OriginReply {
        guard reply.status == 200 else { return reply }
        if isPreconditionBroken { return .status(412) }
        if isNotModified { return notModified }
        guard reply.conduct.servesRanges else { return reply }
        var whole = reply
        whole.headers["Accept-Ranges"] = "bytes"
        guard request.method == "GET", let range = request.headers["Range"], isRangeAllowed,
            let asked = ByteRange(parsing: range)
        else { return whole }
        return part(asked, of: whole)
    }

    private var tag: String? { reply.headers["ETag"] }
    private var modified: HTTPDate? { Self.date(reply.headers["Last-Modified"]) }

    private var isPreconditionBroken: Bool {
        if let tags = list("If-Match"), let tag {
            return !tags.contains { $0 == "*" || ($0 == tag && !tag.hasPrefix("W/")) }
        }
        guard let since = Self.date(request.headers["If-Unmodified-Since"]), let modified else { return false }
        return modified > since
    }

    private var isNotModified: Bool {
        guard request.method == "GET" || request.method == "HEAD" else { return false }
        if let tags = list("If-None-Match") {
            guard let tag else { return false }
            return tags.contains { $0 == "*" || Self.opaque($0) == Self.opaque(tag) }
        }
        guard let since = Self.date(request.headers["If-Modified-Since"]), let modified else { return false }
        return modified <= since
    }

    private var notModified: OriginReply {
        reply.changed { reply in
            reply.status = 304
            reply.body = []
            let kept = reply.headers.filter { !$0.name.lowercased().hasPrefix("content-") }
            reply.headers = HTTPHeaders(kept)
        }
    }

    private var isRangeAllowed: Bool {
        guard let condition = request.headers["If-Range"] else { return true }
        if condition.hasPrefix("\"") { return condition == tag }
        return condition == reply.headers["Last-Modified"]
    }

    private func part(_ asked: ByteRange, of whole: OriginReply) -> OriginReply {
        let count = whole.body.count
        guard let range = asked.resolved(in: count) else {
            var refusal = OriginReply.status(416)
            refusal.headers["Content-Range"] = "bytes */\(count)"
            return refusal
        }
        return whole.changed { part in
            part.status = 206
            part.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(count)"
            part.body = Array(whole.body[range])
        }
    }

    private func list(_ name: String) -> [String]? {
        let values = request.headers.values(for: name)
        guard !values.isEmpty else { return nil }
        return values.flatMap { $0.split(separator: ",") }.map { $0.filter { $0 != " " && $0 != "\t" } }
    }

    private static func date(_ value: String?) -> HTTPDate? {
        value.flatMap { HTTPDate($0, receivedAt: HTTPDate(.now)) }
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}

/// One range of bytes, as a client asks for it.
struct ByteRange: Equatable {
    private let first: Int?
    private let last: Int?

    /// - Returns: `nil` for another unit, for several ranges, and for an invalid range; the reply is then the whole
    ///   body.
    init?(parsing field: String) {
        guard field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2,
            parts.allSatisfy({ $0.utf8.count < 18 && $0.utf8.allSatisfy(\.isASCIIDigit) })
        else { return nil }
        first = Int(parts[0])
        last = Int(parts[1])
        if first == nil && last == nil { return nil }
        if let first, let last, first > last { return nil }
    }

    /// - Returns: `nil` when the range is outside the body.
    func resolved(in count: Int) -> Range<Int>? {
        guard let first else {
            guard let last, last > 0, count > 0 else { return nil }
            return max(0, count - last)..<count
        }
        guard first < count else { return nil }
        return first..<min(count, (last ?? count) + 1)
    }
}
