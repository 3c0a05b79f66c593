// SPDX-License-Identifier: MIT
import PlatformBasics
public import SharedStores

/// Where a server of Redis or Valkey listens, and how to log in.
public struct RedisAddress: Sendable, Hashable {
    /// A place to connect to.
    public enum Place: Sendable, Hashable {
        /// A TCP port. The name is looked up on the thread of the store.
        case port(host: String, port: UInt16)
        /// A Unix socket.
        case unix(path: String)
    }

    /// Which certificates count on a connection with TLS 1.2 or later. The files are read when a connection is made.
    ///
    /// The server's certificate must be for the host of the address.
    public struct TLS: Sendable, Hashable {
        /// The path of the authorities that may sign the server's certificate, in PEM; `nil` for those of the system.
        public var authorityPath: String?
        /// The path of a certificate to show, in PEM, with the intermediate ones after it. Redis asks for one unless
        /// its `tls-auth-clients` is `no`. `nil` for none.
        public var certificatePath: String?
        /// The path of the certificate's private key, in PEM, without a password; `nil` when the certificate's file has
        /// it.
        public var keyPath: String?

        /// Creates a value: by default the authorities of the system, and no certificate to show.
        public init(authorityPath: String? = nil, certificatePath: String? = nil, keyPath: String? = nil) {
            (self.authorityPath, self.certificatePath, self.keyPath) = (authorityPath, certificatePath, keyPath)
        }
    }

    /// Where to connect.
    public var place: Place
    /// The user, for servers with access lists.
    public var user: String?
    /// The password.
    public var password: String?
    /// The number of the database.
    public var database: Int
    /// TLS, for ports alone; `nil` for none.
    public var tls: TLS?

    /// Creates an address. Without user, password and TLS, in database 0, by default.
    public init(_ place: Place, user: String? = nil, password: String? = nil, database: Int = 0, tls: TLS? = nil) {
        (self.place, self.user, self.password, self.database, self.tls) = (place, user, password, database, tls)
    }

    /// Reads an address: `redis://user:password@host:6379/0`, `rediss:` in its place for TLS, or
    /// `unix:///path/of/socket?db=0`.
    ///
    /// After an address with TLS may stand what `redis-cli` calls so: `?cacert=FILE&cert=FILE&key=FILE`, which are the
    /// paths of ``TLS``. Parts may be percent-encoded. Port 6379 and database 0 by default.
    ///
    /// - Throws: `SharedStoreError` with code `.unsupported`, which says what the address may be. `redis-cluster:` asks
    ///   for what hiredis lacks.
    public init(_ text: String) throws(SharedStoreError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else {
            throw .unsupported(
                "An address of Redis is redis://host:port/database, rediss: for TLS, or unix:///path?db=database.")
        }
        let rest = parts[1].dropFirst(2)
        switch parts[0] {
        case "unix":
            let pieces = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard let path = pieces[0].percentDecoded, path.hasPrefix("/"), path.utf8.count < 108 else {
                throw .unsupported("A Unix socket is named as in unix:///run/redis.sock, with less than 108 bytes.")
            }
            self.init(.unix(path: path))
            for (name, text) in Self.options(pieces.dropFirst().first) {
                guard name == "db", let number = Int(text), (0...65_535).contains(number) else {
                    throw .unsupported("After the path of a Unix socket, only ?db=NUMBER may stand.")
                }
                database = number
            }
        case "redis", "rediss":
            // An @ after the question mark is one of a file's name, and the last before it ends the password.
            var halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            var login: Substring?
            if let end = halves[0].lastIndex(of: "@") {
                login = halves[0][..<end]
                halves[0] = halves[0][halves[0].index(after: end)...]
            }
            let pieces = halves[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let (host, port) = Self.hostAndPort(pieces[0])
            let number = pieces.count == 2 && !pieces[1].isEmpty ? Int(pieces[1]) : 0
            guard let host, let port, let number, (0...65_535).contains(number) else {
                throw .unsupported("An address of Redis is redis://user:password@host:port/database.")
            }
            self.init(.port(host: host, port: port), database: number)
            let words = login?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) ?? []
            let texts = words.compactMap(\.percentDecoded)
            guard texts.count == words.count else {
                throw .unsupported("The user or the password is not percent-encoded.")
            }
            if texts.count == 2 { password = texts[1] }
            if let name = texts.first, !name.isEmpty { user = name }
            if password == nil, user != nil {
                throw .unsupported("A password stands after a colon: redis://:password@host.")
            }
            if parts[0] == "rediss" { tls = TLS() }
            for (name, text) in Self.options(halves.dropFirst().first) {
                switch name {
                case "cacert": tls?.authorityPath = text
                case "cert": tls?.certificatePath = text
                case "key": tls?.keyPath = text
                default: tls = nil
                }
                guard tls != nil, !text.isEmpty else {
                    throw .unsupported("Only rediss: has ?cacert=FILE&cert=FILE&key=FILE after it.")
                }
            }
            if tls?.keyPath != nil, tls?.certificatePath == nil {
                throw .unsupported("A key needs a certificate: ?cert=FILE.")
            }
        case "redis-cluster":
            throw .unsupported(
                "hiredis (\(RedisStore.libraryVersion)) speaks to one server. Name one primary, or a proxy in front of "
                    + "the cluster: redis://host:port.")
        default: throw .unsupported("\"\(parts[0]):\" is none of redis:, rediss: and unix:.")
        }
    }

    private static func hostAndPort(_ text: Substring) -> (String?, UInt16?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let port = text[text.index(after: end)...]
            let host = String(text[text.index(after: text.startIndex)..<end])
            return (host, port.isEmpty ? 6_379 : port.first == ":" ? UInt16(port.dropFirst()) : nil)
        }
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pieces.count <= 2, let host = pieces.first, !host.isEmpty else { return (nil, nil) }
        return (String(host), pieces.count == 2 ? UInt16(pieces[1]) : 6_379)
    }

    /// The pairs after a question mark. One that is none, or not percent-encoded, has an empty text.
    private static func options(_ text: Substring?) -> [(name: Substring, text: String)] {
        (text?.split(separator: "&") ?? []).map { item in
            let pair = item.split(separator: "=", maxSplits: 1)
            return (pair.first ?? "", pair.count == 2 ? pair[1].percentDecoded ?? "" : "")
        }
    }

    /// The place, for messages.
    var description: String {
        switch place {
        case .port(let host, let port): "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
