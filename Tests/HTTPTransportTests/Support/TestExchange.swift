import Foundation
import Synchronization
import Testing

@testable import HTTPTransport

#if canImport(Glibc)
import Glibc
#endif

/// A loopback origin: raw sockets, a thread per connection, one closure that answers by hand.
final class TestOrigin: Sendable {
    let port: Int
    /// What is said to everyone who connects, before a request.
    private let greeting: [UInt8]?
    private let listener: Int32
    private let connections = Mutex<[Int32]>([])
    private let accepted = Mutex(0)

    init(greeting: String? = nil, _ handler: @escaping @Sendable (TestExchange) -> Void = { _ in }) {
        self.greeting = greeting.map { Array($0.utf8) }
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                precondition(unsafe bind(listener, pointer, size) == 0)
                precondition(unsafe getsockname(listener, pointer, &size) == 0)
            }
        }
        precondition(listen(listener, 512) == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [self] in acceptAll(handler) }
    }

    /// How many connections were made.
    var connectionCount: Int { accepted.withLock { $0 } }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in connections.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func acceptAll(_ handler: @escaping @Sendable (TestExchange) -> Void) {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            accepted.withLock { $0 += 1 }
            connections.withLock { $0.append(connection) }
            Thread.detachNewThread { [self] in
                if let greeting {
                    _ = unsafe greeting.withUnsafeBytes {
                        unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                }
                while let exchange = TestExchange(reading: connection) {
                    handler(exchange)
                    if exchange.isClosed { break }
                }
                connections.withLock { $0.removeAll { $0 == connection } }
                close(connection)
            }
        }
        close(listener)
    }
}

/// One request on a connection, and the means to answer it in any way, right or wrong.
final class TestExchange: @unchecked Sendable {  // Used by the connection's thread alone.
    private let connection: Int32
    let method: String
    let path: String
    let headers: HTTPHeaders
    let body: [UInt8]
    private(set) var isClosed = false

    init?(reading connection: Int32) {
        self.connection = connection
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard unsafe recv(connection, &byte, 1, 0) == 1 else { return nil }
            bytes.append(byte)
        }
        var lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
        let first = lines.removeFirst().split(separator: " ")
        method = String(first[0])
        path = String(first[1])
        var headers = HTTPHeaders()
        for line in lines where !line.isEmpty {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers.append(
                name: String(parts[0]),
                value: parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
        self.headers = headers
        var body: [UInt8] = []
        while body.count < Int(headers["Content-Length"] ?? "0")! {
            guard unsafe recv(connection, &byte, 1, 0) == 1 else { return nil }
            body.append(byte)
        }
        self.body = body
    }

    /// Writes bytes as they are.
    ///
    /// Returns whether the peer still takes them.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// A complete answer.
    func respond(_ status: Int = 200, _ headers: [String] = [], body: [UInt8] = []) {
        let lines = ["HTTP/1.1 \(status) X", "Content-Length: \(body.count)"] + headers
        // In one piece: two small writes would wait for each other's acknowledgement.
        write(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (method == "HEAD" ? [] : body))
    }

    /// Ends the connection after what was written.
    func close() {
        shutdown(connection, Int32(SHUT_RDWR))
        isClosed = true
    }

    /// Ends the connection with a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        isClosed = true
    }

    /// Returns when the client has closed the connection.
    func waitForClose() {
        var byte: UInt8 = 0
        while unsafe recv(connection, &byte, 1, 0) > 0 {}
        isClosed = true
    }
}

/// Something that happens once, and tests that wait for it.
final class Event: Sendable {
    private let state = Mutex<(hasFired: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

    func fire() {
        let waiters = state.withLock { state in
            state.hasFired = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { waiter in
            let isOver = state.withLock { state in
                if !state.hasFired { state.waiters.append(waiter) }
                return state.hasFired
            }
            if isOver { waiter.resume() }
        }
    }
}

extension HTTPClient.Configuration {
    /// The defaults, with this machine allowed.
    static var loopback: Self {
        var configuration = Self()
        configuration.addressPolicy = .publicInternet(allowing: IPNetwork.loopback)
        return configuration
    }
}

/// Runs a test with an origin and a client and ends both.
func withOrigin(
    _ configuration: HTTPClient.Configuration = .loopback, handler: @escaping @Sendable (TestExchange) -> Void,
    _ body: (TestOrigin, HTTPClient) async throws -> Void
) async throws {
    let origin = TestOrigin(handler)
    let client = HTTPClient(configuration: configuration)
    do {
        try await body(origin, client)
    } catch {
        await client.shutdown()
        origin.stop()
        throw error
    }
    await client.expectEmptyTables()
    await client.shutdown()
    origin.stop()
}

extension HTTPClient {
    /// Checks that nothing is left in any table of the event loop, once the transfers that were let go have ended.
    func expectEmptyTables() async {
        while await transferCount > 0 { await Task.yield() }
        // Some are cleared at the end of a turn; each look is a turn.
        for _ in 0..<50 where await table.counts != TableCounts() { await Task.yield() }
        #expect(await table.counts == TableCounts())
    }
}

extension TransferOrder {
    /// What a client would make of a request.
    convenience init(id: UInt64, _ request: HTTPRequest, in table: TransferTable) throws {
        let hop = try Hop(request, limits: table.settings.configuration)
        self.init(
            id: id, hop: hop, started: LoopThread.nanoseconds, recorder: MetricsRecorder(HTTPMetrics()), table: table)
    }
}
