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

/// Reads the fields of a head one after the other: it judges each, and copies only what the server needs.
///
/// libmicrohttpd does not enforce these rules; what it hides of a head, ``HeadLayout`` finds.
/// - Source: RFC 9112, sections 3.2, 5.1 and 6.3.
struct RequestHead {
    private(set) var fields = RequestFields()
    /// The first rule that a field breaks.
    private var refusal: Refusal?
    private var fieldCount = 0
    private var hostCount = 0
    private var lengthCount = 0
    private var isEmptyLength = true
    private var hasCoding = false

    /// Why a request is refused.
    struct Refusal: Error, Equatable {
        let status: Int
        let detail: String
    }

    mutating func add(name: Span<UInt8>, value: Span<UInt8>) {
        fieldCount += 1
        guard refusal == nil else { return }
        guard Self.isToken(name) else {
            refusal = Refusal(status: 400, detail: "The name of a field has a character that names cannot have.")
            return
        }
        guard Self.isClean(value) else {
            refusal = Refusal(status: 400, detail: "A field has a control character.")
            return
        }
        // The length decides first, so a field that means nothing here costs no comparison.
        switch name.count {
        case 4 where Self.isEqual(name, "host"): hostCount += 1
        case 5 where Self.isEqual(name, "range"): Self.append(value, to: &fields.range)
        case 6 where Self.isEqual(name, "accept"): Self.append(value, to: &fields.accept)
        case 8 where Self.isEqual(name, "if-range"): Self.append(value, to: &fields.ifRange)
        case 11 where Self.isEqual(name, "traceparent"): Self.append(value, to: &fields.traceparent)
        case 13 where Self.isEqual(name, "if-none-match"): Self.append(value, to: &fields.ifNoneMatch)
        case 14 where Self.isEqual(name, "content-length"): addLength(value)
        case 17 where Self.isEqual(name, "if-modified-since"): Self.append(value, to: &fields.ifModifiedSince)
        case 17 where Self.isEqual(name, "transfer-encoding"): hasCoding = true
        default: break
        }
    }

    /// Notes that the bytes of the head are not what its fields say.
    mutating func refuseLayout() {
        if refusal == nil {
            refusal = Refusal(status: 400, detail: "The head has a NUL, a folded field, or a line without CR LF.")
        }
    }

    /// Judges the head when all fields have been read.
    ///
    /// - Throws: ``Refusal`` for the first rule that the head breaks.
    func check(method: String, target: String, targetByteLimit: Int, fieldLimit: Int) throws(Refusal) {
        guard target.utf8.count <= targetByteLimit else {
            throw Refusal(status: 414, detail: "The address is longer than \(targetByteLimit) bytes.")
        }
        guard target.utf8.first == UInt8(ascii: "/") else {
            throw Refusal(status: 400, detail: "The address of a request begins with a slash.")
        }
        guard target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Refusal(status: 400, detail: "The address has a character that is not printable ASCII.")
        }
        guard fieldCount <= fieldLimit else {
            throw Refusal(status: 431, detail: "The head has more than \(fieldLimit) fields.")
        }
        if let refusal { throw refusal }
        guard hostCount <= 1 else {
            throw Refusal(status: 400, detail: "The request has more than one Host field.")
        }
        guard lengthCount == 0 || !hasCoding else {
            throw Refusal(status: 400, detail: "The request has Content-Length beside Transfer-Encoding.")
        }
        guard lengthCount <= 1 else {
            throw Refusal(status: 400, detail: "The request has an invalid Content-Length.")
        }
        guard !hasCoding, isEmptyLength else {
            throw Refusal(status: 413, detail: "The request has content, and no address takes content.")
        }
        guard method == "GET" || method == "HEAD" else {
            throw Refusal(status: 405, detail: "Only GET and HEAD are answered.")
        }
    }

    private mutating func addLength(_ value: Span<UInt8>) {
        lengthCount += 1
        for index in value.indices {
            guard (0x30...0x39).contains(value[index]) else {
                refusal = Refusal(status: 400, detail: "The request has an invalid Content-Length.")
                return
            }
            if value[index] != 0x30 { isEmptyLength = false }
        }
        if value.isEmpty { isEmptyLength = false }
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

    /// Whether a name of the same length is this one, in letters of either case.
    private static func isEqual(_ name: Span<UInt8>, _ other: StaticString) -> Bool {
        let letters = unsafe UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        for index in name.indices {
            let byte = name[index]
            let small = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
            guard unsafe small == letters[index] else { return false }
        }
        return true
    }
}
