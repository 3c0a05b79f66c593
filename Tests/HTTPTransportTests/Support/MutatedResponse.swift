// SPDX-License-Identifier: MIT
import TestSupport
import WebImageTesting

/// A response as an origin would send it, and what a seed makes of it.
///
/// Equal seeds and numbers give equal bytes.
struct MutatedResponse {
    enum Ending: CaseIterable {
        /// The connection stays open for another request.
        case open
        case closed
        case reset
        /// Nothing follows for a second, then the connection is reset.
        case silent
    }

    /// The content before transfer and content coding.
    let content: [UInt8]
    /// Whether nothing was changed.
    let isIntact: Bool
    /// What is sent, in one write each.
    let pieces: [[UInt8]]
    let ending: Ending

    /// What is sent first, for messages.
    var beginning: String { String(decoding: pieces.joined().prefix(400), as: UTF8.self).debugDescription }

    init(seed: UInt64, number: Int) {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        content = SeededGenerator.bytes(count: Int.random(in: 0...1_500, using: &random), seed: random.next())
        var draft = ResponseDraft(content, &random)
        let changes = [0, 1, 1, 1, 2, 3].randomElement(using: &random)!
        for _ in 0..<changes { draft.mutate(&random) }
        var bytes = draft.bytes
        let damages = changes == 0 ? 0 : [0, 0, 1, 3].randomElement(using: &random)!
        for _ in 0..<damages { bytes.damage(&random) }
        isIntact = changes == 0 && !draft.isRedirect
        pieces = bytes.cut(into: Int.random(in: 1...4, using: &random), &random)
        // Silence costs the time of a limit, so there is little of it.
        let mayFallSilent = changes > 0 && Int.random(in: 0..<200, using: &random) == 0
        let endings: [Ending] = changes == 0 ? [.open] : [.open, .closed, .closed, .closed, .reset]
        let ending = mayFallSilent ? .silent : endings.randomElement(using: &random)!
        // Only a connection that ends may end a response without a length.
        self.ending = ending == .open && (draft.endsWithConnection || changes > 0) ? .closed : ending
    }
}

/// A response in parts that can be changed.
private struct ResponseDraft {
    var interim = ""
    var start = "HTTP/1.1 200 OK"
    var fields: [String] = ["Content-Type: text/plain"]
    var body: [UInt8]
    var isRedirect = false
    var endsWithConnection = false

    var bytes: [UInt8] { Array((interim + ([start] + fields).joined(separator: "\r\n") + "\r\n\r\n").utf8) + body }

    init(_ content: [UInt8], _ random: inout SeededGenerator) {
        var wire = content
        if Bool.random(using: &random) {
            fields.append("Content-Encoding: gzip")
            wire = Gzip.stored(content)
        }
        body = wire
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: fields.append("Content-Length: \(wire.count)")
        case 3..<6:
            fields.append("Transfer-Encoding: chunked")
            body = []
            while !wire.isEmpty {
                let chunk = wire.prefix(Int.random(in: 1...600, using: &random))
                body += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [13, 10]
                wire.removeFirst(chunk.count)
            }
            body += Array("0\r\n\r\n".utf8)
        case 6: endsWithConnection = true
        default:
            isRedirect = true
            start = "HTTP/1.1 \([301, 302, 303, 307, 308].randomElement(using: &random)!) Elsewhere"
            fields = ["Location: /intact", "Content-Length: 0"]
            body = []
        }
        if Int.random(in: 0..<6, using: &random) == 0 { interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" }
    }

    /// One change to the status line, the fields, the sizes, the codings or the redirect.
    mutating func mutate(_ random: inout SeededGenerator) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: start = Self.starts.randomElement(using: &random)!
        case 1:
            fields.insert(
                Self.fields.randomElement(using: &random)!, at: Int.random(in: 0...fields.count, using: &random))
        case 2: fields.remove(at: Int.random(in: 0..<fields.count, using: &random))
        case 3: fields.append(fields.randomElement(using: &random) ?? "")
        case 4:
            let sizes = [
                "-1", "0", "7", "99999999999999999999", "1e3", "+5", "0x10", " ", "7, 8", "9223372036854775807",
            ]
            let size = sizes.randomElement(using: &random)!
            fields = fields.map { $0.hasPrefix("Content-Length") ? "Content-Length: \(size)" : $0 }
            let chunks = ["FFFFFFFFFFFFFFFFF", "-5", "7fffffffffffffff", "", "3;x=y", "0", "g", " 5", "00000000005"]
            let at = Int.random(in: 0...body.count, using: &random)
            if !body.isEmpty {
                body.insert(contentsOf: Array((chunks.randomElement(using: &random)! + "\r\n").utf8), at: at)
            }
        default:
            let target = Self.targets.randomElement(using: &random)!
            start = "HTTP/1.1 \([300, 301, 302, 303, 307, 308].randomElement(using: &random)!) X"
            fields.append("Location: \(target)")
        }
        if fields.isEmpty { fields = ["X: 1"] }
    }

    private static let starts = [
        "HTTP/1.1 200", "HTTP/1.1  200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified",
        "HTTP/1.1 206 Partial Content", "HTTP/1.1 416 X", "HTTP/1.1 099 X", "HTTP/1.1 000 X", "HTTP/1.1 1000 X",
        "HTTP/1.1 -1 X", "HTTP/1.1 abc", "HTTP/2 200", "HTTP/3 200", "HTTP/9.9 200 OK", "HTTP/1.2 200 OK", "ICY 200 OK",
        "HTTP/1.1", "HTTP/", "", "\0\0\0", "HTTP/1.1 101 Switching", "HTTP/1.1 100 Continue", "HTTP/1.1 199 X",
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest", "HTTP/1.1 407 X", "HTTP/1.1 417 X",
        "HTTP/1.1 500 \u{7F}",
        "HTTP/1.1 999 X", "http/1.1 200 ok", "HTTP/1.1\t200\tOK", " HTTP/1.1 200 OK", "HTTP/1.1 200 " + long(9_000),
    ]

    private static let fields = [
        "no colon", ": empty", "Sp ace: 1", "A\0B: 1", "A: \0", "A: \u{7F}", " folded", "\tfolded", "A:",
        "A: " + long(70_000),
        long(3_000) + ": 1", "Content-Length: 3", "Content-Length: 3\r\nContent-Length: 4", "Content-Length: -3",
        "Transfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
        "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "Content-Encoding: gzip", "Content-Encoding: br",
        "Content-Encoding: gzip, gzip", "Content-Encoding: deflate", "Content-Encoding: identity", "Connection: close",
        "Connection: upgrade\r\nUpgrade: h2c", "Set-Cookie: a=b; Domain=.", "Location: /intact", "Retry-After: -1",
        "Content-Range: bytes 5-3/2", "Trailer: X", "Alt-Svc: h3=\":1\"", "Strict-Transport-Security: max-age=1",
        "A: \r",
        "A: \r\n\r\nB", (0..<300).map { "F\($0): 1" }.joined(separator: "\r\n"), "Proxy-Authenticate: Basic", "é: ü",
    ]

    private static let targets = [
        "/intact", "//", "", "?", "#", "http://[::1", "http://10.0.0.1/", "http://169.254.169.254/",
        "https://127.0.0.1:1/",
        "http://127.0.0.1:1/", "file:///etc/passwd", "gopher://127.0.0.1/", "javascript:1", "http://a b/", "\u{7F}",
        "http://user:pass@127.0.0.1/", "http://127.0.0.1:99999/", "..", "/\r\nX: 1", long(9_000), "http://%31/",
        "http:/x",
    ]

    private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }
}

/// gzip without compression.
private enum Gzip {
    /// - Source: RFC 1952, section 2.3, and RFC 1951, section 3.2.4.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = .max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
        }
        let count = UInt16(bytes.count)
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1] + count.littleBytes + (~count).littleBytes + bytes
            + (~sum).littleBytes + UInt32(count).littleBytes
    }
}

extension FixedWidthInteger {
    fileprivate var littleBytes: [UInt8] { (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}

extension [UInt8] {
    /// Flips, removes, repeats, inserts or cuts off bytes.
    fileprivate mutating func damage(_ random: inout SeededGenerator) {
        guard !isEmpty else { return append(UInt8.random(in: 0...255, using: &random)) }
        // The head is short and the body is not: half of the damage is to the first bytes.
        let isEarly = Bool.random(using: &random)
        let place = Int.random(in: 0..<(isEarly ? Swift.min(count, 120) : count), using: &random)
        let end = Swift.min(count, place + Int.random(in: 1...8, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: self[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: removeSubrange(place..<end)
        case 2: insert(contentsOf: self[place..<end], at: place)
        case 3: insert(UInt8.random(in: 0...255, using: &random), at: place)
        default: removeSubrange(place...)
        }
    }

    fileprivate func cut(into count: Int, _ random: inout SeededGenerator) -> [[UInt8]] {
        let cuts = (1..<count).map { _ in Int.random(in: 0...self.count, using: &random) }.sorted()
        return zip([0] + cuts, cuts + [self.count]).map { Array(self[$0..<$1]) }.filter { !$0.isEmpty }
    }
}
