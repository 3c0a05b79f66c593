// SPDX-License-Identifier: MIT
import CHiredis

/// A reply of the server, read from untrusted bytes.
enum RedisReply: Sendable, Equatable {
    case text([UInt8])
    case integer(Int64)
    case nothing
    case list([RedisReply])
    case error(String)

    /// Creates a reply from that of hiredis, which stays the caller's.
    ///
    /// - Parameter depth: Deeper lists count as nothing.
    init(_ pointer: UnsafePointer<redisReply>, depth: Int = 4) {
        // The fields that hiredis fills in depend on the type, and lengths are those of what it has allocated.
        let reply = unsafe pointer.pointee
        switch unsafe reply.type {
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS:
            self = unsafe .text(Self.bytes(reply))
        case REDIS_REPLY_ERROR:
            self = unsafe .error(String(decoding: Self.bytes(reply).prefix(500), as: UTF8.self))
        case REDIS_REPLY_INTEGER: self = unsafe .integer(reply.integer)
        case REDIS_REPLY_ARRAY where depth > 0:
            guard let elements = unsafe reply.element else {
                self = .list([])
                return
            }
            self = unsafe .list(
                (0..<Int(clamping: reply.elements)).map { index in
                    guard let element = unsafe elements[index] else { return .nothing }
                    return unsafe RedisReply(element, depth: depth - 1)
                })
        default: self = .nothing
        }
    }

    private static func bytes(_ reply: redisReply) -> [UInt8] {
        guard let text = unsafe reply.str else { return [] }
        return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: Int(clamping: reply.len)))
    }

    var isOK: Bool { self == .text(Array("OK".utf8)) }

    /// The text of a status or a string.
    var string: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }
}

/// A command in the form of the protocol.
struct RedisCommand: Sendable {
    let bytes: [UInt8]
    /// Whether the server answers NOSCRIPT when it does not know the script.
    let isScript: Bool

    init(_ words: [String], value: [UInt8]? = nil, then rest: [String] = []) {
        isScript = words.first == "EVALSHA"
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256 + (value?.count ?? 0))
        func append(_ text: some Collection<UInt8>) {
            bytes.append(contentsOf: "$\(text.count)\r\n".utf8)
            bytes.append(contentsOf: text)
            bytes.append(contentsOf: "\r\n".utf8)
        }
        bytes.append(contentsOf: "*\(words.count + (value == nil ? 0 : 1) + rest.count)\r\n".utf8)
        for word in words { append(Array(word.utf8)) }
        if let value { append(value) }
        for word in rest { append(Array(word.utf8)) }
        self.bytes = bytes
    }
}
