// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// A server that greets as it should, and then answers as the test says.
final class FakeRedis: Sendable {
    let path: String
    private let descriptor: Int32
    private let clients = Clients()
    /// The connections that are open.
    var clientCount: Int { clients.count.load(ordering: .relaxed) }

    private final class Clients: Sendable { let count = Atomic(0) }

    /// - Parameters:
    ///   - messages: The same for a connection that has subscribed; `reply` when `nil`.
    ///   - reply: The bytes that answer a command; `nil` ends the connection.
    init(
        messages: (@Sendable ([String]) -> [UInt8]?)? = nil, _ reply: @escaping @Sendable ([String]) -> [UInt8]?
    ) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "fake-\(UUID().uuidString).sock").path
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
            unsafe place.copyBytes(from: Array(path.utf8.prefix(107)))
        }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe bind(descriptor, $0, length) }
        }
        guard isBound == 0, listen(descriptor, 16) == 0 else { throw POSIXError(.EADDRINUSE) }
        let (listener, clients) = (descriptor, clients)
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                clients.count.wrappingAdd(1, ordering: .relaxed)
                Thread.detachNewThread {
                    Self.serve(client, reply, messages ?? reply)
                    clients.count.wrappingSubtract(1, ordering: .relaxed)
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
        unsafe unlink(path)
    }

    private static func serve(
        _ client: Int32, _ reply: ([String]) -> [UInt8]?, _ messages: ([String]) -> [UInt8]?
    ) {
        var reply = reply
        defer { close(client) }
        var buffer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            while let words = command(&buffer) {
                if words.first == "SUBSCRIBE" { reply = messages }
                guard let answer = greeting(words) ?? reply(words) else { return }
                var sent = 0
                while sent < answer.count {
                    let rest = Array(answer[sent...])
                    let count = unsafe send(client, rest, rest.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    sent += count
                }
            }
            let count = unsafe recv(client, &chunk, chunk.count, 0)
            guard count > 0 else { return }
            buffer += chunk[..<count]
        }
    }

    /// What any server answers to a log-in.
    private static func greeting(_ words: [String]) -> [UInt8]? {
        switch words.first {
        case "SELECT": Array("+OK\r\n".utf8)
        case "SCRIPT": Array("$2\r\nok\r\n".utf8)
        case "SUBSCRIBE": Array("*3\r\n$9\r\nsubscribe\r\n$1\r\nx\r\n:1\r\n".utf8)
        default: nil
        }
    }

    /// Takes a whole command out of the bytes that have come.
    private static func command(_ buffer: inout [UInt8]) -> [String]? {
        var rest = buffer[...]
        func line() -> Int? {
            guard let end = rest.firstIndex(of: 10) else { return nil }
            defer { rest = rest[(end + 1)...] }
            return Int(String(decoding: rest[rest.startIndex..<(end - 1)].dropFirst(), as: UTF8.self))
        }
        guard let count = line() else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard let length = line(), rest.count >= length + 2 else { return nil }
            words.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length + 2)
        }
        buffer = Array(rest)
        return words
    }
}
