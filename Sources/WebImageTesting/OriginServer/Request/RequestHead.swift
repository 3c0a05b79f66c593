// SPDX-License-Identifier: MIT
import HTTPTransport

/// The request line and the header fields of a request, and how its body is framed.
struct RequestHead: Equatable {
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    let method: String
    let target: String
    let version: String
    let headers: HTTPHeaders
    let framing: Framing

    /// Whether the client waits for `100 Continue` before it sends the body.
    let expectsContinue: Bool

    /// Whether the client allows another request after this one.
    var allowsReuse: Bool {
        guard version == "HTTP/1.1" else { return false }
        let options = headers.values(for: "Connection").flatMap { $0.split(separator: ",") }
        return !options.contains { $0.filter { $0 != " " && $0 != "\t" }.lowercased() == "close" }
    }

    /// The target without scheme, authority and query, and the query.
    var pathAndQuery: (path: String, query: String?) {
        var rest = Substring(target)
        if let scheme = rest.firstRange(of: "://"), !rest.hasPrefix("/") {
            let authority = rest[scheme.upperBound...]
            rest = authority.firstIndex { $0 == "/" || $0 == "?" }.map { authority[$0...] } ?? "/"
        }
        guard let mark = rest.firstIndex(of: "?") else { return (String(rest), nil) }
        let path = rest[..<mark]
        return (path.isEmpty ? "/" : String(path), String(rest[rest.index(after: mark)...]))
    }
}
