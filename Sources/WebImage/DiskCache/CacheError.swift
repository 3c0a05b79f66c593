// SPDX-License-Identifier: MIT
/// Why the disk cache could not keep or find an entry.
///
/// It never fails a load: the load continues without the cache.
public struct CacheError: Error, Sendable, CustomStringConvertible {
    /// A kind of failure.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the kind.
        public let description: String

        /// No space or no file record is left on the file system, or the quota is used up.
        public static let diskFull = Code(description: "diskFull")
        /// The file system is mounted read-only.
        public static let readOnly = Code(description: "readOnly")
        /// The process may not read or write the folder.
        public static let permissionDenied = Code(description: "permissionDenied")
        /// The folder is not there and cannot be made, or something else stands in its place.
        public static let folderUnavailable = Code(description: "folderUnavailable")
        /// The process or the machine has no file descriptor left.
        public static let tooManyOpenFiles = Code(description: "tooManyOpenFiles")
        /// The entry is above an eighth of the cache's size limit, or above what the file system takes.
        public static let tooLarge = Code(description: "tooLarge")
        /// A read or write failed for another reason.
        public static let inputOutput = Code(description: "inputOutput")
        /// More operations wait for the disk than the cache allows.
        public static let overloaded = Code(description: "overloaded")
        /// A store that the program brings did not keep the entry, for a reason of its own that the message and the
        /// cause say.
        public static let storeFailed = Code(description: "storeFailed")
        /// The cache, or its manager, was shut down.
        public static let shutDown = Code(description: "shutDown")
    }

    /// The kind of failure.
    public let code: Code
    /// What happened and what to do about it.
    public let message: String
    /// The file or folder concerned.
    public let path: String?
    /// The system's error number, when a system call failed.
    public let errno: Int32?
    /// The underlying error, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(
        code: Code, message: String, path: String? = nil, errno: Int32? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.errno = errno
        self.cause = cause
    }

    /// The code, the message, the path and the error number.
    public var description: String {
        var text = "\(code): \(message)"
        if let path { text += " [\(path)]" }
        if let errno { text += " (errno \(errno))" }
        return text
    }
}

/// Lets one warning pass for each kind of failure, until operations of that sort succeed again.
package struct WarningGate {
    /// The sort of operation.
    package enum Sort: Hashable {
        case reading, writing, removing
    }

    package init() {}

    private var reported: [Sort: Set<CacheError.Code>] = [:]
    /// The last failure of each sort since an operation of that sort, or a store, succeeded.
    private(set) var failures: [Sort: CacheError] = [:]

    /// Whether this kind of failure is new.
    package mutating func shouldReport(_ error: CacheError, during sort: Sort) -> Bool {
        failures[sort] = error
        return reported[sort, default: []].insert(error.code).inserted
    }

    /// Notes that an operation of this sort succeeded.
    package mutating func recover(_ sort: Sort) {
        if reported[sort] != nil { reported[sort] = nil }
        if !failures.isEmpty { failures = failures.filter { $0.key != sort && sort != .writing } }
    }
}
