// SPDX-License-Identifier: MIT
import Testing
import WebImageTesting

/// Scripts one reply to `GET /a` and reads the connection to its end.
///
/// - Parameters:
///   - fields: Header fields of the request, after `Host`.
///   - close: Whether the request asks for the end of the connection; not needed for a reply that ends it by itself.
func exchange(
    _ reply: OriginReply, method: String = "GET", fields: [String] = [], close: Bool = false
) throws -> (text: String, end: RawClient.End) {
    let origin = try OriginServer.start()
    defer { origin.stop() }
    origin.respond(to: "/a", with: reply)
    let client = try RawClient(origin)
    let lines = ["\(method) /a HTTP/1.1", "Host: a"] + fields + (close ? ["Connection: close"] : [])
    try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
    return client.readToEnd()
}

/// Splits the received bytes at the first empty line.
func parts(_ text: String) -> (head: String, body: String) {
    guard let range = text.firstRange(of: "\r\n\r\n") else { return (text, "") }
    return (String(text[..<range.lowerBound]), String(text[range.upperBound...]))
}
