// SPDX-License-Identifier: MIT
/// A place for small entries that several processes and machines use, such as a server of Redis or a bucket.
///
/// A store keeps bytes under short names. What the bytes mean, that they are whole, and that they belong to the key
/// that was asked for, is the work of the ``SharedCache`` in front of it:
///
/// - An error that a method throws is trouble. The cache counts it, tells it, and takes the entry for missing.
/// - Each call has the time that ``traits`` give it. Then the cache goes on without the answer, and cancels the call.
/// - Entries may go at any time, and may be damaged. They are verified when they are read.
/// - Methods may be called at the same time. They suspend and do not block.
public protocol SharedStore: Sendable {
    /// What the store is good for.
    var traits: SharedStoreTraits { get }

    /// The bytes stored under `key`; `nil` when there are none.
    ///
    /// - Throws: ``SharedStoreError``; `CancellationError`.
    func bytes(for key: SharedKey) async throws -> [UInt8]?

    /// Stores bytes in place of earlier ones.
    ///
    /// - Parameters:
    ///   - bytes: At most the number of bytes that ``traits`` admit.
    ///   - key: The name.
    ///   - lifetime: After this time the store may, and should, forget them.
    /// - Throws: ``SharedStoreError``; `CancellationError`.
    func store(_ bytes: [UInt8], for key: SharedKey, lifetime: Duration) async throws

    /// Begins the lifetime of what is stored under `key` anew; does nothing when there is nothing, or it lives longer.
    ///
    /// The default implementation does nothing.
    ///
    /// - Throws: ``SharedStoreError``; `CancellationError`.
    func prolong(_ key: SharedKey, lifetime: Duration) async throws

    /// Removes what is stored under `key`; does nothing when there is nothing.
    ///
    /// - Throws: ``SharedStoreError``; `CancellationError`.
    func remove(_ key: SharedKey) async throws

    /// Ends the connections. Later calls throw ``SharedStoreError/Code/shutDown``.
    func shutdown() async
}

extension SharedStore {
    /// Does nothing: a life counts from the store.
    public func prolong(_ key: SharedKey, lifetime: Duration) async throws {}
}

/// A shared store that lets one of several processes do work while the others wait for the result.
///
/// The right to work is a lease. It ends by itself when its holder dies, so that another process takes over. A number
/// that grows with each lease, its token, keeps a holder that was away for longer from replacing newer work.
public protocol SharedLeasing: SharedStore {
    /// Asks for the right to make the entry of `key`, and waits while another process has it.
    ///
    /// **Cancellation**: ends the wait at once.
    ///
    /// - Throws: ``SharedStoreError`` when the store is in trouble, also while this call waits; `CancellationError`.
    func claim(_ key: SharedKey) async throws -> SharedClaim

    /// Ends a lease, and wakes the processes that wait for it.
    ///
    /// - Returns: `false` when the lease had ended before; nothing is stored then.
    /// - Throws: ``SharedStoreError``; `CancellationError`.
    func finish(_ lease: SharedLease, with end: SharedLeaseEnd) async throws -> Bool
}

/// The answer to a claim.
public enum SharedClaim: Sendable, Equatable {
    /// An entry is stored.
    case stored
    /// This process makes the entry, and ends the lease. The store renews the lease until then.
    case leads(SharedLease)
    /// Another process could not make the entry, and has left this word.
    case failed([UInt8])
}

/// The right to make an entry.
public struct SharedLease: Sendable, Hashable {
    /// The entry.
    public let key: SharedKey
    /// Larger than that of any earlier lease of the entry.
    public let token: Int64

    /// Creates a value.
    public init(key: SharedKey, token: Int64) {
        self.key = key
        self.token = token
    }
}

/// What becomes of the work under a lease.
public enum SharedLeaseEnd: Sendable, Equatable {
    /// The entry, and how long it is kept.
    case stored([UInt8], lifetime: Duration)
    /// A word for the processes that wait and those that come within the lifetime.
    case failed([UInt8], lifetime: Duration)
    /// Nothing. A process that waits takes over.
    case released
}

/// What a store is good for, and how long it may take.
public struct SharedStoreTraits: Sendable, Hashable {
    /// Names the store in logs.
    public var name: String
    /// The largest original that the store keeps, in bytes. Of larger ones it keeps what is known about them.
    public var maximumOriginalByteCount: Int
    /// The largest file that the store keeps, in bytes.
    public var maximumFileByteCount: Int
    /// How long a read may take.
    public var readTimeout: Duration
    /// How long a write may take.
    public var writeTimeout: Duration
    /// The number of writes at a time. With 1, entries are stored in the order in which they were made.
    public var writeWidth: Int

    /// Creates a value.
    public init(
        name: String, maximumOriginalByteCount: Int, maximumFileByteCount: Int, readTimeout: Duration,
        writeTimeout: Duration,
        writeWidth: Int = 1
    ) {
        self.name = name
        self.maximumOriginalByteCount = maximumOriginalByteCount
        self.maximumFileByteCount = maximumFileByteCount
        self.readTimeout = readTimeout
        self.writeTimeout = writeTimeout
        self.writeWidth = writeWidth
    }
}

/// Why a shared store could not do what it was asked.
///
/// It never fails a load: the load continues without the store.
public struct SharedStoreError: Error, Sendable, CustomStringConvertible {
    /// A kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// There is no connection.
        public static let unreachable = Code(description: "unreachable")
        /// The store did not answer in time.
        public static let timedOut = Code(description: "timedOut")
        /// The store refused: a password, a permission, a limit of its memory.
        public static let refused = Code(description: "refused")
        /// The answer is not what the store may say, or an entry is damaged.
        public static let malformed = Code(description: "malformed")
        /// More content waits to be written than the limit allows.
        public static let overloaded = Code(description: "overloaded")
        /// The installed library cannot do what the configuration asks for, or the configuration contradicts itself.
        public static let unsupported = Code(description: "unsupported")
        /// The store was shut down.
        public static let shutDown = Code(description: "shutDown")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it.
    public let message: String

    /// Creates an error.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    package static func unsupported(_ message: String) -> Self { Self(code: .unsupported, message: message) }
}
