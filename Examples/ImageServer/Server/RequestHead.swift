// SPDX-License-Identifier: MIT
/// The fields of a request that this server reads.
struct RequestFields: Sendable {
    var accept: String?
    var ifNoneMatch: String?
    var ifModifiedSince: String?
    var ifRange: String?
    var range: String?
    var traceparent: String?
}

/// Reads a head line by line: it judges each, and copies only what the server needs.
///
/// Stricter than RFC 9112 where parsers differ, and no request has content, so each head ends its request.
/// - Source: RFC 9112, sections 2 to 5 and 6.3; RFC 9110, section 7.2.
struct RequestHead {
    private(set) var method = ""
    /// Path and query, also of a request with a whole address.
    private(set) var target = ""
    private(set) var fields = RequestFields()
    /// Whether the client wants the connection to end after the answer.
    var closes: Bool { hasClose || isOld && !hasKeepAlive }
    /// Whether the request has version 1.0.
    private(set) var isOld = false
    private var hasClose = false
    private var hasKeepAlive = false
    /// The first rule that a line breaks.
    private var refusal: Refusal?
    private var fieldCount = 0
    private var hostCount = 0
    private var lengthCount = 0
    private var hasContent = false
    private var hasCoding = false

    /// Why a request is refused.
    struct Refusal: Error, Equatable {
        let status: Int
        let detail: String
    }

    /// Reads a whole head.
    ///
    /// - Parameter lines: The first bytes of the lines, of which each ends with CR LF, and the end of the head.
    init(_ bytes: [UInt8], lines: [Int]) {
        let bytes = bytes.span
        var isFirst = true
        for index in 0..<(lines.count - 1) {
            let line = bytes.extracting(lines[index]..<(lines[index + 1] - 2))
            guard !line.isEmpty else { continue }
            if isFirst { readFirstLine(line) } else { readField(line) }
            isFirst = false
        }
    }

    /// Judges the head.
    ///
    /// - Throws: ``Refusal`` for the first rule that the head breaks.
    func check(targetByteLimit: Int, fieldLimit: Int) throws(Refusal) {
        guard target.utf8.count <= targetByteLimit else {
            throw Refusal(status: 414, detail: "The address is longer than \(targetByteLimit) bytes.")
        }
        guard fieldCount <= fieldLimit else {
            throw Refusal(status: 431, detail: "The head has more than \(fieldLimit) fields.")
        }
        if let refusal { throw refusal }
        guard hostCount == 1 || isOld && hostCount == 0 else {
            throw Refusal(status: 400, detail: "The request has \(hostCount == 0 ? "no" : "more than one") Host field.")
        }
        guard lengthCount == 0 || !hasCoding else {
            throw Refusal(status: 400, detail: "The request has Content-Length beside Transfer-Encoding.")
        }
        guard lengthCount <= 1 else {
            throw Refusal(status: 400, detail: "The request has an invalid Content-Length.")
        }
        guard !hasCoding, !hasContent else {
            throw Refusal(status: 413, detail: "The request has content, and no address takes content.")
        }
        guard method == "GET" || method == "HEAD" else {
            throw Refusal(status: 405, detail: "Only GET and HEAD are answered.")
        }
    }

    private mutating func refuse(_ detail: String, status: Int = 400) {
        if refusal == nil { refusal = Refusal(status: status, detail: detail) }
    }

    // MARK: - The first line

    private mutating func readFirstLine(_ line: Span<UInt8>) {
        guard let methodEnd = Self.space(in: line, from: 0), let targetEnd = Self.space(in: line, from: methodEnd + 1),
            Self.space(in: line, from: targetEnd + 1) == nil, targetEnd > methodEnd + 1
        else { return refuse("The first line is not a method, an address and a version.") }
        // The usual method costs no copy.
        let name = line.extracting(0..<methodEnd)
        method = Self.isEqual(name, "GET", inAnyCase: false) ? "GET" : Self.text(name)
        if !Self.isToken(name) { refuse("The method has a character that methods cannot have.") }
        readVersion(line.extracting((targetEnd + 1)..<line.count))
        let address = line.extracting((methodEnd + 1)..<targetEnd)
        for index in address.indices where !(0x21...0x7E).contains(address[index]) {
            return refuse("The address has a character that is not printable ASCII.")
        }
        let start = Self.pathStart(of: address)
        guard let start else { return refuse("The address begins neither with a slash nor with http:// and a host.") }
        let path = Self.text(address.extracting(start..<address.count))
        target = path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
    }

    private mutating func readVersion(_ version: Span<UInt8>) {
        guard version.count == 8, Self.isEqual(version.extracting(0..<5), "HTTP/", inAnyCase: false),
            version[6] == UInt8(ascii: "."), (0x30...0x39).contains(version[5]), (0x30...0x39).contains(version[7])
        else { return refuse("The first line does not end with a version of HTTP.") }
        isOld = version[7] == UInt8(ascii: "0")
        if version[5] != UInt8(ascii: "1") { refuse("The server speaks HTTP/1.1.", status: 505) }
    }

    /// Where the path begins, also in a whole address, whose host the server does not need.
    private static func pathStart(of address: Span<UInt8>) -> Int? {
        if address[0] == UInt8(ascii: "/") { return 0 }
        let schemes: [(StaticString, Int)] = [("http://", 7), ("https://", 8)]
        for (scheme, count) in schemes where address.count > count {
            guard isEqual(address.extracting(0..<count), scheme) else { continue }
            var index = count
            while index < address.count, address[index] != UInt8(ascii: "/"), address[index] != UInt8(ascii: "?") {
                guard isOfHost(address[index]) else { return nil }
                index += 1
            }
            return index > count ? index : nil
        }
        return nil
    }

    private static func space(in line: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < line.count {
            if line[index] == 0x20 { return index }
            index += 1
        }
        return nil
    }

    // MARK: - Fields

    private mutating func readField(_ line: Span<UInt8>) {
        fieldCount += 1
        var colon = 0
        while colon < line.count, line[colon] != UInt8(ascii: ":") { colon += 1 }
        guard colon < line.count else { return refuse("A field has no colon.") }
        var (start, end) = (colon + 1, line.count)
        while start < end, line[start] == 0x20 || line[start] == 9 { start += 1 }
        while start < end, line[end - 1] == 0x20 || line[end - 1] == 9 { end -= 1 }
        add(name: line.extracting(0..<colon), value: line.extracting(start..<end))
    }

    private mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
        // A folded line begins with space, which is no name.
        guard Self.isToken(name) else { return refuse("The name of a field has a character that names cannot have.") }
        guard Self.isClean(value) else { return refuse("A field has a control character.") }
        // The length decides first, so a field that means nothing here costs no comparison.
        switch name.count {
        case 4 where Self.isEqual(name, "host"): addHost(value)
        case 5 where Self.isEqual(name, "range"): Self.append(value, to: &fields.range)
        case 6 where Self.isEqual(name, "accept"): Self.append(value, to: &fields.accept)
        case 8 where Self.isEqual(name, "if-range"): Self.append(value, to: &fields.ifRange)
        case 10 where Self.isEqual(name, "connection"): addConnection(value)
        case 11 where Self.isEqual(name, "traceparent"): Self.append(value, to: &fields.traceparent)
        case 13 where Self.isEqual(name, "if-none-match"): Self.append(value, to: &fields.ifNoneMatch)
        case 14 where Self.isEqual(name, "content-length"): addLength(value)
        case 17 where Self.isEqual(name, "if-modified-since"): Self.append(value, to: &fields.ifModifiedSince)
        case 17 where Self.isEqual(name, "transfer-encoding"): hasCoding = true
        default: break
        }
    }

    private mutating func addLength(_ value: Span<UInt8>) {
        lengthCount += 1
        if value.isEmpty { refuse("The request has an invalid Content-Length.") }
        for index in value.indices {
            guard (0x30...0x39).contains(value[index]) else {
                return refuse("The request has an invalid Content-Length.")
            }
            if value[index] != 0x30 { hasContent = true }
        }
    }

    private mutating func addHost(_ value: Span<UInt8>) {
        hostCount += 1
        for index in value.indices where !Self.isOfHost(value[index]) {
            return refuse("The Host field has a character that hosts cannot have.")
        }
    }

    private mutating func addConnection(_ value: Span<UInt8>) {
        for option in Self.text(value).split(separator: ",") {
            let option = option.filter { $0 != " " && $0 != "\t" }.lowercased()
            if option == "close" { hasClose = true }
            if option == "keep-alive" { hasKeepAlive = true }
        }
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        guard let valid = try? UTF8Span(validating: bytes) else { return "" }
        return String(copying: valid)
    }

    /// A character of a host and its port, without those of a user's name.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
        default: "-._~%:[]!$&'()*+,;=".utf8.contains(byte)
        }
    }

    /// Equal names are joined by commas. A value that is not UTF-8 says nothing.
    private static func append(_ value: Span<UInt8>, to text: inout String?) {
        guard let valid = try? UTF8Span(validating: value) else { return }
        let new = String(copying: valid)
        text = text.map { $0 + ", " + new } ?? new
    }

    /// - Source: RFC 9110, section 5.6.2.
    private static func isToken(_ name: Span<UInt8>) -> Bool {
        for index in name.indices {
            switch name[index] {
            case 0x61...0x7A, 0x41...0x5A, UInt8(ascii: "-"), 0x30...0x39: continue
            case let byte where "!#$%&'*+.^_`|~".utf8.contains(byte): continue
            default: return false
            }
        }
        return !name.isEmpty
    }

    private static func isClean(_ value: Span<UInt8>) -> Bool {
        for index in value.indices where value[index] < 0x20 || value[index] == 0x7F {
            if value[index] != 9 { return false }
        }
        return true
    }

    /// Whether a text is this one; in letters of either case when `other` has small ones.
    private static func isEqual(_ name: Span<UInt8>, _ other: StaticString, inAnyCase: Bool = true) -> Bool {
        let letters = unsafe UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        guard name.count == letters.count else { return false }
        for index in name.indices {
            let byte = name[index]
            let small = inAnyCase && (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            guard unsafe small == letters[index] else { return false }
        }
        return true
    }
}
