// SPDX-License-Identifier: MIT
import CHiredis
import EventLoops
public import SharedStores
import TaskCoordination

/// Entries in a server of Redis or Valkey, and leases: one of several processes works for an entry, the others wait.
///
/// ```swift
/// let redis = RedisStore(.init(try RedisAddress("redis://127.0.0.1:6379/0")))
/// let cache = SharedCache(local: DiskCache(), stores: [redis])
/// ```
///
/// - While there is no connection, each call fails at once. Connecting is tried again after a pause that grows.
/// - A command that takes longer than ``Configuration/commandTimeout`` ends both connections: all calls fail at once,
///   and not one after the other. While a call waits for another process, the server is asked for a sign of life, so
///   that one that hangs is noticed within ``Configuration/pingInterval`` and ``Configuration/commandTimeout``.
/// - A holder of a lease that dies blocks the others for ``Configuration/leaseTime``.
/// - The server decides what it forgets: give it `maxmemory` and `maxmemory-policy allkeys-lru`.
///
/// One thread, two connections: one for commands, one that hears when a lease ends.
public final class RedisStore: SharedLeasing {
    /// The address and the limits of a store.
    public struct Configuration: Sendable {
        /// The server.
        public var address: RedisAddress
        /// Begins each key. Programs with one prefix share their entries. `swi1` by default.
        public var prefix = "swi1"
        /// How long the server may take for a command. 250 ms by default.
        public var commandTimeout: Duration = .milliseconds(250)
        /// How long it may take to connect and log in. 500 ms by default.
        public var connectTimeout: Duration = .milliseconds(500)
        /// How often the server is asked for a sign of life while a call waits. 100 ms by default.
        public var pingInterval: Duration = .milliseconds(100)
        /// How long a lease stands without being renewed. 2 s by default; it is renewed after a third.
        public var leaseTime: Duration = .seconds(2)
        /// How long a lease is renewed at most. 60 s by default.
        public var maximumLease: Duration = .seconds(60)
        /// The pauses between attempts to connect: they double up to the second, and begin anew after a connection.
        /// 50 ms to 5 s by default.
        public var retryDelay: ClosedRange<Duration> = .milliseconds(50)...(.seconds(5))
        /// The largest original that is stored, in bytes. 256 KiB by default.
        public var maximumOriginalByteCount = 256 << 10
        /// The largest file that is stored, in bytes. 1 MiB by default.
        public var maximumFileByteCount = 1 << 20
        /// Nanoseconds of the clock that all of these times are measured by.
        var now: @Sendable () -> UInt64 = { EventLoop.nanoseconds }

        /// Creates a configuration with the defaults.
        public init(_ address: RedisAddress) { self.address = address }
    }

    /// The installed hiredis.
    public static var libraryVersion: String { "\(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)" }

    let link: RedisLink

    private var configuration: Configuration { link.configuration }

    /// Creates a store, and begins to connect.
    public init(_ configuration: Configuration) {
        link = RedisLink(configuration)
        link.start()
    }

    deinit { link.loop.stop() }

    /// What the store is good for.
    public var traits: SharedStoreTraits {
        // The link ends commands itself; these end calls whose link cannot, because a name is looked up.
        let time = min(max(.milliseconds(1), configuration.commandTimeout), .seconds(3_600))
        return SharedStoreTraits(
            name: "redis", maximumOriginalByteCount: configuration.maximumOriginalByteCount,
            maximumFileByteCount: configuration.maximumFileByteCount, readTimeout: time * 2, writeTimeout: time * 4)
    }

    /// Waits until the store is connected and logged in, or the time is over.
    ///
    /// - Returns: Whether it is. Without waiting, the first calls fail, which does no harm.
    public func connected(within limit: Duration) async -> Bool {
        let place = OneShot<Bool>()
        guard link.mail.post(.awaitConnection(place)) else { return false }
        return await place.wait(for: "connect to redis", onCancel: false) {
            await place.resolve(false, after: limit, on: ContinuousClock())
        }
    }

    // MARK: - Entries

    /// The bytes stored under `key`.
    public func bytes(for key: SharedKey) async throws -> [UInt8]? {
        switch try await link.reply(to: RedisCommand(["GET", configuration.name(key)])) {
        case .text(let bytes): bytes
        case .nothing: nil
        case let reply: throw Self.unexpected(reply)
        }
    }

    /// Stores bytes.
    public func store(_ bytes: [UInt8], for key: SharedKey, lifetime: Duration) async throws {
        let reply = try await link.reply(to: configuration.storing(bytes, for: key, lifetime: lifetime))
        guard reply.isOK else { throw Self.unexpected(reply) }
    }

    /// Begins the lifetime of what is stored under `key` anew, unless it lives longer.
    public func prolong(_ key: SharedKey, lifetime: Duration) async throws {
        let reply = try await link.reply(to: configuration.prolonging(key, lifetime: lifetime))
        guard case .integer = reply else { throw Self.unexpected(reply) }
    }

    /// Removes what is stored under `key`.
    public func remove(_ key: SharedKey) async throws {
        let reply = try await link.reply(to: RedisCommand(["DEL", configuration.name(key)]))
        guard case .integer = reply else { throw Self.unexpected(reply) }
    }

    // MARK: - Leases

    /// Asks for a lease, and waits while another process has it.
    public func claim(_ key: SharedKey) async throws -> SharedClaim {
        let ask = configuration.asking(for: key)
        while true {
            // Before asking, so that no message comes between the answer and the wait.
            let bell = RedisLink.Bell()
            link.mail.post(.listen(key.description, bell))
            defer { link.mail.post(.leave(key.description, bell)) }
            let reply = try await link.reply(to: ask, leasing: key)
            guard case .list(let parts) = reply, case .integer(let kind)? = parts.first else {
                throw Self.unexpected(reply)
            }
            switch (kind, parts.count > 1 ? parts[1] : .nothing) {
            case (1, _): return .stored
            case (2, .integer(let token)): return .leads(SharedLease(key: key, token: token))
            case (4, .text(let word)): return .failed(word)
            case (3, .integer(let milliseconds)):
                let wait = min(max(1, milliseconds), 3_600_000)
                link.mail.post(.arm(bell, .milliseconds(wait)))
                try await bell.ring()
            default: throw Self.unexpected(reply)
            }
        }
    }

    /// Ends a lease.
    public func finish(_ lease: SharedLease, with end: SharedLeaseEnd) async throws -> Bool {
        link.mail.post(.endLease(lease))
        let reply = try await link.reply(to: configuration.finishing(lease, with: end))
        guard case .integer(let isStored) = reply else { throw Self.unexpected(reply) }
        return isStored == 1
    }

    /// Ends the connections and the thread. Every call that has not ended fails.
    public func shutdown() async { await link.loop.stopAndJoin() }

    static func unexpected(_ reply: RedisReply) -> SharedStoreError {
        guard case .error(let text) = reply else {
            return SharedStoreError(code: .malformed, message: "Redis has answered what no such command is answered.")
        }
        let word = text.prefix { $0 != " " }
        if ["MOVED", "ASK", "CLUSTERDOWN", "CROSSSLOT"].contains(word) {
            return .unsupported(
                "This is a node of a cluster, and hiredis (\(libraryVersion)) speaks to one server. Name one "
                    + "primary without a cluster, or a proxy in front of it. Redis says: \(text)")
        }
        return SharedStoreError(code: .refused, message: "Redis has refused: \(text)")
    }
}
