// SPDX-License-Identifier: MIT
import HTTPTransport

extension RequestHead {
    /// Creates a head by strict parsing: ambiguous heads are refused, so that a test notices a client that sends them.
    ///
    /// - Parameter bytes: From the request line up to and including the empty line.
    /// - Source: RFC 9112, sections 2.2, 3, 5 and 6.
    init(parsing bytes: ArraySlice<UInt8>) throws(ConnectionEnd) {
        var lines = try Self.lines(of: bytes)[...]
        let parts = lines.removeFirst().split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("The request line has not three parts.") }
        guard !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte) else {
            throw .malformed("The method is not a token.")
        }
        guard !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw .malformed("The target has bytes that have to be percent-encoded.")
        }
        method = String(decoding: parts[0], as: UTF8.self)
        target = String(decoding: parts[1], as: UTF8.self)
        version = String(decoding: parts[2], as: UTF8.self)
        guard version.utf8.count == 8, version.hasPrefix("HTTP/") else {
            throw .malformed("The request line does not end with a version.")
        }
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else { throw .unknownVersion }

        var headers = HTTPHeaders()
        for line in lines {
            let field = try Self.field(line)
            headers.append(name: field.name, value: field.value)
        }
        self.headers = headers
        let hosts = headers.values(for: "Host").count
        guard hosts == 1 || (hosts == 0 && version == "HTTP/1.0") else {
            throw .malformed("There has to be one Host field.")
        }
        framing = try Self.framing(headers)
        expectsContinue = try Self.expectsContinue(headers)
    }

    private static func lines(of bytes: ArraySlice<UInt8>) throws(ConnectionEnd) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") {
            guard index > start, bytes[index - 1] == UInt8(ascii: "\r") else {
                throw .malformed("A line does not end with CR LF.")
            }
            lines.append(bytes[start..<index - 1])
            start = index + 1
        }
        guard start == bytes.endIndex, lines.count >= 2, lines.removeLast().isEmpty else {
            throw .malformed("The head does not end with an empty line.")
        }
        return lines
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(ConnectionEnd) -> HTTPHeaders.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenByte)
        else { throw .malformed("A header field has no valid name.") }
        var value = line[(colon + 1)...]
        while let first = value.first, first.isBlank { value.removeFirst() }
        while let last = value.last, last.isBlank { value.removeLast() }
        guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }) else {
            throw .malformed("A header field's value has control characters.")
        }
        return HTTPHeaders.Field(
            name: String(decoding: line[..<colon], as: UTF8.self), value: String(decoding: value, as: UTF8.self))
    }

    private static func framing(_ headers: HTTPHeaders) throws(ConnectionEnd) -> Framing {
        let codings = headers.values(for: "Transfer-Encoding")
        let lengths = headers.values(for: "Content-Length")
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .malformed("There are both a length and a transfer coding.") }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else { throw .unknownCoding }
            return .chunked
        }
        guard let length = lengths.first else { return .length(0) }
        guard lengths.count == 1, !length.isEmpty, length.utf8.allSatisfy(\.isASCIIDigit) else {
            throw .malformed("The Content-Length is not one number.")
        }
        guard let count = Int(length) else { throw .bodyTooLarge }
        return .length(count)
    }

    private static func expectsContinue(_ headers: HTTPHeaders) throws(ConnectionEnd) -> Bool {
        guard let expectation = headers["Expect"] else { return false }
        guard expectation.lowercased() == "100-continue" else { throw .unknownExpectation }
        return true
    }
}
