// SPDX-License-Identifier: MIT
extension Answer {
    /// An error as a document.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - detail: What went wrong, for a human reader.
    ///   - code: A stable name for programs.
    ///   - id: The name of the request.
    /// - Source: RFC 9457, section 3.
    static func problem(_ status: Int, _ detail: String, code: String, id: String) -> Answer {
        let members = [
            "\"type\":\"about:blank\"", "\"title\":\(title(status).quotedJSON)", "\"status\":\(status)",
            "\"detail\":\(detail.quotedJSON)", "\"code\":\(code.quotedJSON)", "\"request\":\(id.quotedJSON)",
        ]
        var answer = Answer.text(
            status, "{\(members.joined(separator: ","))}\n", type: "application/problem+json")
        answer.notes = [Note(name: "error", value: code)]
        return answer
    }

    /// - Source: RFC 9110, section 15.
    static func title(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 206: "Partial Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Error"
        }
    }
}
