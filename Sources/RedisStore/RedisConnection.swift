// SPDX-License-Identifier: MIT
import CHiredis
import CRedisShims
import EventLoops
import SharedStores
import TaskCoordination

/// A connection of hiredis on the thread of a loop. Commands of one turn go out together; replies come in their order.
///
/// Of hiredis it uses the context and the reader. Its asynchronous interface ends the process on a reply that no
/// command has asked for.
///
/// Touched on the loop alone, which its owner, an actor, guarantees: it is not `Sendable`.
@safe final class RedisConnection {
    typealias Answer = (Result<RedisReply, SharedStoreError>) -> Void

    private struct Pending {
        let deadline: UInt64
        let answer: Answer
    }

    private var context: UnsafeMutablePointer<redisContext>?
    private let descriptor: Int32
    /// `nil` on a connection without TLS.
    private let tls: RedisTLS?
    private let loop: EventLoop
    private let token: UInt32
    private let byteLimit: Int
    private let name: String
    private var interest: Readiness = []
    /// Also with TLS, where there is.
    private(set) var isConnected = false
    private var pending = HeadQueue<Pending>()
    /// Called with replies that no command has asked for; `nil` where there must be none.
    private let onMessage: ((RedisReply) -> Void)?

    /// Begins to connect.
    ///
    /// - Parameter byteLimit: The largest number of bytes that may wait to be parsed.
    init(
        to address: RedisAddress, on loop: EventLoop, token: UInt32, byteLimit: Int,
        onMessage: ((RedisReply) -> Void)? = nil
    ) throws(SharedStoreError) {
        tls = try address.tls.map { options throws(SharedStoreError) in try RedisTLS(options, for: address) }
        let context =
            switch address.place {
            case .port(let host, let port): unsafe redisConnectNonBlock(host, Int32(port))
            case .unix(let path): unsafe redisConnectUnixNonBlock(path)
            }
        guard let context = unsafe context else {
            throw SharedStoreError(code: .unreachable, message: "There is no memory for a connection to Redis.")
        }
        guard unsafe context.pointee.err == 0, let reader = unsafe context.pointee.reader else {
            defer { unsafe redisFree(context) }
            throw unsafe Self.error(context, "cannot be reached", address.description)
        }
        unsafe redis_limit_arrays(reader)
        unsafe self.context = context
        unsafe descriptor = context.pointee.fd
        (self.loop, self.token, self.byteLimit, self.onMessage) = (loop, token, byteLimit, onMessage)
        name = address.description
        watch([.reading, .writing])
    }

    deinit { close() }

    var isOpen: Bool { unsafe context != nil }

    /// When the oldest reply is due; `nil` when none is.
    var deadline: UInt64? { pending.first?.deadline }

    func owns(_ descriptor: Int32) -> Bool { isOpen && descriptor == self.descriptor }

    // MARK: - Commands

    /// Sends a command; `answer` is called once, on the loop.
    func send(_ command: RedisCommand, deadline: UInt64, _ answer: @escaping Answer) {
        guard let context = unsafe context else { return answer(.failure(Self.lost(name))) }
        if let tls {
            tls.append(command.bytes)
        } else {
            // hiredis copies the bytes.
            let isTaken = unsafe command.bytes.withUnsafeBytes { bytes in
                let text = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                return unsafe redisAppendFormattedCommand(context, text, bytes.count) == REDIS_OK
            }
            guard isTaken else {
                let message = "There is no memory for a command to Redis."
                return answer(.failure(SharedStoreError(code: .unreachable, message: message)))
            }
        }
        pending.append(Pending(deadline: deadline, answer: answer))
        if isConnected { watch([.reading, .writing]) }
    }

    /// Sends what the commands of a turn have left.
    ///
    /// - Throws: When the connection has ended; the owner closes it.
    func flush() throws(SharedStoreError) {
        guard isConnected, interest.contains(.writing), let context = unsafe context else { return }
        if let tls {
            if try tls.flush() { watch(.reading) }
            return
        }
        var isDone: Int32 = 0
        guard unsafe redisBufferWrite(context, &isDone) == REDIS_OK else {
            throw unsafe Self.error(context, "has gone", name)
        }
        if isDone != 0 { watch(.reading) }
    }

    /// Does what the socket is ready for.
    ///
    /// - Throws: When the connection has ended, or says what it may not; the owner closes it.
    func ready(_ readiness: Readiness) throws(SharedStoreError) {
        guard isOpen else { return }
        if !isConnected {
            let error = redis_connect_error(descriptor)
            guard error == 0 else {
                let message = "Redis at \(name) cannot be reached (error \(error)); start it, or correct the address."
                throw SharedStoreError(code: .unreachable, message: message)
            }
            if let missing = try tls?.handshake(on: descriptor) { return watch(missing) }
            isConnected = true
            watch([.reading, .writing])
        }
        try flush()
        try read()
    }

    /// Reads what has come, and answers the commands.
    func read() throws(SharedStoreError) {
        guard isConnected else { return }
        // A picture takes several reads of 16 KiB. The number is limited, so that other work gets its turn.
        for _ in 0..<32 {
            guard let context = unsafe context, let reader = unsafe context.pointee.reader else { return }
            let before = unsafe reader.pointee.len
            if let tls {
                try unsafe tls.read(into: reader)
            } else if unsafe redisBufferRead(context) != REDIS_OK {
                throw unsafe Self.error(context, "has gone", name)
            }
            let after = unsafe reader.pointee.len
            guard after <= byteLimit else {
                throw SharedStoreError(code: .malformed, message: "Redis at \(name) sends more than was asked for.")
            }
            if after == before { return }
            try answer()
        }
    }

    private func answer() throws(SharedStoreError) {
        while let context = unsafe context {
            var found: UnsafeMutableRawPointer?
            guard unsafe redisGetReplyFromReader(context, &found) == REDIS_OK else {
                throw unsafe Self.error(context, "does not speak its protocol", name, .malformed)
            }
            guard let found = unsafe found else { return }
            let reply = unsafe RedisReply(UnsafePointer(found.assumingMemoryBound(to: redisReply.self)))
            unsafe freeReplyObject(found)
            if onMessage != nil, case .list(let parts) = reply, parts.first?.string == "message" {
                onMessage?(reply)
            } else if let next = pending.popFirst() {
                next.answer(.success(reply))
            } else {
                throw SharedStoreError(code: .malformed, message: "Redis at \(name) answers what was not asked.")
            }
        }
    }

    // MARK: - The end

    /// Ends the connection; commands without a reply fail.
    func close(_ error: SharedStoreError? = nil) {
        guard let context = unsafe context.take() else { return }
        loop.forget(descriptor)
        unsafe redisFree(context)
        while let next = pending.popFirst() { next.answer(.failure(error ?? Self.lost(name))) }
    }

    private func watch(_ wanted: Readiness) {
        guard wanted != interest else { return }
        let isNew = interest.isEmpty
        interest = wanted
        _ = loop.watch(descriptor, for: wanted, token: token, isNew: isNew)
    }

    private static func lost(_ name: String) -> SharedStoreError {
        SharedStoreError(code: .unreachable, message: "The connection to Redis at \(name) has ended.")
    }

    private static func error(
        _ context: UnsafeMutablePointer<redisContext>, _ what: String, _ name: String,
        _ code: SharedStoreError.Code = .unreachable
    ) -> SharedStoreError {
        let text = unsafe redis_error_text(context).map { unsafe String(cString: $0) } ?? ""
        return SharedStoreError(code: code, message: "Redis at \(name) \(what): \(text)")
    }
}
