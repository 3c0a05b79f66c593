// SPDX-License-Identifier: MIT
/// The head of a response, as it is put together from header lines.
struct ResponseHead: Sendable {
    var status = 0
    var headers = HTTPHeaders()
    private(set) var interims: [HTTPInterimResponse] = []
    /// The number of bytes received in all header sections, including those of interim responses.
    private(set) var byteCount = 0
    private(set) var fieldCount = 0
    private(set) var isComplete = false
    /// How the body of a complete head is coded.
    private(set) var coding = Coding.identity

    enum Line {
        case more
        /// The empty line after a final head.
        case complete
        case tooLarge(String)
        case malformed(String)
    }

    /// The status, once there is one.
    var knownStatus: Int? { status == 0 ? nil : status }

    /// Takes one line as libcurl delivers it, line end included.
    ///
    /// Trailers, which follow the body, are dropped.
    /// - Parameter status: The status so far, asked for in the first and the last line.
    mutating func receive(_ line: RawSpan, limits: Limits, status: () -> Int) -> Line {
        unsafe line.withUnsafeBytes { unsafe receive($0, limits: limits, status: status) }
    }

    private mutating func receive(_ line: UnsafeRawBufferPointer, limits: Limits, status: () -> Int) -> Line {
        let (sum, overflows) = byteCount.addingReportingOverflow(line.count)
        guard !overflows, sum <= limits.byteCount else { return .tooLarge("bytes (limit \(limits.byteCount))") }
        byteCount = sum
        guard !isComplete else { return .more }
        let text = unsafe Self.trim(line)
        let continues = unsafe line.first?.isBlank == true
        if unsafe text.isEmpty && !continues { return endSection(status: status()) }
        if unsafe headers.isEmpty && !continues && text.starts(with: "HTTP/".utf8) {
            // Some versions of libcurl take any number in the status line of a text that says it is HTTP/2 or HTTP/3.
            guard unsafe Self.hasStatus(text) else { return .malformed("a status that is not three digits") }
            self.status = status()
            headers.reserveCapacity(16)
            return .more
        }
        fieldCount += 1
        guard fieldCount <= limits.fieldCount else { return .tooLarge("fields (limit \(limits.fieldCount))") }
        if continues {
            guard !headers.isEmpty else { return .malformed("a continued line before the first field") }
            unsafe headers.continueLast(with: String(decoding: text, as: UTF8.self))
            return .more
        }
        guard let colon = unsafe text.firstIndex(of: UInt8(ascii: ":")) else {
            return .malformed("a header line without a colon")
        }
        let name = unsafe UnsafeRawBufferPointer(rebasing: text[..<colon])
        guard unsafe !name.isEmpty, unsafe name.allSatisfy(\.isTokenByte) else {
            return .malformed("a header name that is not a token")
        }
        let value = unsafe Self.trim(UnsafeRawBufferPointer(rebasing: text[(colon + 1)...]))
        guard unsafe !value.contains(0) else { return .malformed("a zero byte in a header") }
        headers.append(
            name: unsafe String(decoding: name, as: UTF8.self), value: unsafe String(decoding: value, as: UTF8.self))
        return .more
    }

    struct Limits: Sendable {
        var byteCount: Int
        var fieldCount: Int
    }

    /// Handles the empty line: an interim head (1xx) makes room for the next one.
    private mutating func endSection(status: Int) -> Line {
        guard (100...999).contains(status) else { return .malformed("a status that is not three digits") }
        self.status = status
        guard status != 101 else { return .malformed("a switch to another protocol that was not asked for") }
        guard status >= 200 else {
            interims.append(HTTPInterimResponse(status: status, headers: headers))
            headers = HTTPHeaders()
            return .more
        }
        isComplete = true
        coding = Coding(headers["Content-Encoding"])
        return .complete
    }

    /// Whether the second word of a status line has three digits.
    private static func hasStatus(_ line: UnsafeRawBufferPointer) -> Bool {
        let rest = unsafe line.drop { !$0.isBlank }.drop(while: \.isBlank)
        let word = unsafe rest.prefix { !$0.isBlank }
        return unsafe word.count == 3 && word.allSatisfy(\.isASCIIDigit)
    }

    /// The bytes without blanks at either end, and without the line end.
    private static func trim(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var (start, end) = (0, bytes.count)
        while start < end, unsafe bytes[end - 1].isBlank || bytes[end - 1] == 0x0D || bytes[end - 1] == 0x0A {
            end -= 1
        }
        while start < end, unsafe bytes[start].isBlank { start += 1 }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
}

extension ResponseHead {
    /// The length of the body.
    enum BodyLength: Equatable {
        case none
        case announced(Int)
        /// The length before decoding, if it is announced.
        case encoded(Int?)
        case unknown
        case contradictory
    }

    /// How the body is coded on the wire.
    enum Coding: Equatable {
        case identity
        case gzip
        /// Another coding, or several.
        case unknown(String)

        /// Reads a field `Content-Encoding`.
        /// - Source: RFC 9110, section 8.4.
        init(_ field: String?) {
            guard let field else {
                self = .identity
                return
            }
            let names = field.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.filter { $0 != "identity" }
            switch names {
            case []: self = .identity
            case ["gzip"], ["x-gzip"]: self = .gzip
            default: self = .unknown(names.joined(separator: ", "))
            }
        }
    }

    /// - Source: RFC 9112, section 6.3.
    func bodyLength(isHead: Bool) -> BodyLength {
        if isHead || status == 204 || status == 304 { return .none }
        if headers.contains(name: "Transfer-Encoding") { return .unknown }
        var length: Int?
        for field in headers where field.name.isEqualIgnoringCase(to: "Content-Length") {
            let value = field.value
            guard !value.isEmpty, value.utf8.allSatisfy(\.isASCIIDigit), let number = Int(value),
                length == nil || length == number
            else { return .contradictory }
            length = number
        }
        if coding != .identity { return .encoded(length) }
        return length.map { .announced($0) } ?? .unknown
    }
}
