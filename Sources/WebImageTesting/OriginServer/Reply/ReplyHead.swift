// SPDX-License-Identifier: MIT
import HTTPTransport

/// The head of a reply, as bytes.
struct ReplyHead {
    let reply: OriginReply
    /// Whether the connection ends after the reply and the head has to say so.
    let announcesClose: Bool
    let isChunked: Bool

    /// Whether the status allows a body at all.
    ///
    /// - Source: RFC 9110, sections 15.2, 15.3.5 and 15.4.5.
    var allowsBody: Bool { reply.status >= 200 && reply.status != 204 && reply.status != 304 }

    /// From the status line up to and including the empty line.
    var bytes: [UInt8] {
        var fields = reply.headers
        if allowsBody {
            for length in lengths { fields.append(name: "Content-Length", value: length) }
            if isChunked && fields["Transfer-Encoding"] == nil {
                fields.append(name: "Transfer-Encoding", value: "chunked")
            }
        }
        if announcesClose && fields["Connection"] == nil { fields.append(name: "Connection", value: "close") }
        return Self.bytes(status: reply.status, reason: reply.reason, fields: fields)
    }

    private var lengths: [String] {
        if let claimed = reply.conduct.claimedLengths { return claimed }
        guard case .length = reply.conduct.framing, !reply.conduct.isEndless, reply.headers["Content-Length"] == nil
        else { return [] }
        return [String(reply.body.count)]
    }

    static func bytes(status: Int, reason: String?, fields: HTTPHeaders) -> [UInt8] {
        var head = Array("HTTP/1.1 \(status) \(reason ?? usualReason(status))\r\n".utf8)
        for field in fields { head += "\(field.name): \(field.value)\r\n".utf8 }
        return head + [0x0d, 0x0a]
    }

    private static func usualReason(_ status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 103: "Early Hints"
        case 200: "OK"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
