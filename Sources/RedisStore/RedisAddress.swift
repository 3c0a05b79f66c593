// SPDX-License-Identifier: MIT
import Foundation
public import WebImage

/// Where a server of Redis or Valkey listens, and how to log in.
public struct RedisAddress: Sendable, Hashable {
    /// A place to connect to.
    public enum Place: Sendable, Hashable {
        /// A TCP port. The name is looked up on the thread of the store.
        case port(host: String, port: UInt16)
        /// A Unix socket.
        case unix(path: String)
    }

    /// Where to connect.
    public var place: Place
    /// The user, for servers with access lists.
    public var user: String?
    /// The password.
    public var password: String?
    /// The number of the database.
    public var database: Int

    /// Creates an address. Without user and password, in database 0, by default.
    public init(_ place: Place, user: String? = nil, password: String? = nil, database: Int = 0) {
        (self.place, self.user, self.password, self.database) = (place, user, password, database)
    }

    /// Reads an address: `redis://user:password@host:6379/0` or `unix:///path/of/socket?db=0`.
    ///
    /// Parts may be percent-encoded. Port 6379 and database 0 by default.
    ///
    /// - Throws: `SharedStoreError` with code `.unsupported`, which says what the address may be. `rediss:` and
    ///   `redis-cluster:` ask for what hiredis lacks here.
    public init(_ text: String) throws(SharedStoreError) {
        func refuse(_ message: String) -> SharedStoreError { SharedStoreError(code: .unsupported, message: message) }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else {
            throw refuse("An address of Redis is redis://host:port/database or unix:///path?db=database.")
        }
        var rest = parts[1].dropFirst(2)
        switch parts[0] {
        case "unix":
            let pieces = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            guard let path = Self.decoded(pieces[0]), path.hasPrefix("/"), path.utf8.count < 108 else {
                throw refuse("A Unix socket is named as in unix:///run/redis.sock, with less than 108 bytes.")
            }
            self.init(.unix(path: path))
            for item in pieces.dropFirst().first?.split(separator: "&") ?? [] {
                let pair = item.split(separator: "=", maxSplits: 1)
                guard pair.count == 2, pair[0] == "db", let number = Int(pair[1]), (0...65_535).contains(number) else {
                    throw refuse("After the path of a Unix socket, only ?db=NUMBER may stand.")
                }
                database = number
            }
        case "redis":
            var login: Substring?
            if let end = rest.lastIndex(of: "@") {
                login = rest[..<end]
                rest = rest[rest.index(after: end)...]
            }
            let pieces = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let (host, port) = Self.hostAndPort(pieces[0])
            let number = pieces.count == 2 && !pieces[1].isEmpty ? Int(pieces[1]) : 0
            guard let host, let port, let number, (0...65_535).contains(number) else {
                throw refuse("An address of Redis is redis://user:password@host:port/database.")
            }
            self.init(.port(host: host, port: port), database: number)
            let words = login?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) ?? []
            let texts = words.compactMap(Self.decoded)
            guard texts.count == words.count else { throw refuse("The user or the password is not percent-encoded.") }
            if texts.count == 2 { password = texts[1] }
            if let name = texts.first, !name.isEmpty { user = name }
            if password == nil, user != nil { throw refuse("A password stands after a colon: redis://:password@host.") }
        case "rediss":
            throw refuse(
                "The installed hiredis (\(RedisStore.libraryVersion)) is used without TLS. Use a Unix socket, or let "
                    + "stunnel encrypt: redis://127.0.0.1:PORT.")
        case "redis-cluster":
            throw refuse(
                "hiredis (\(RedisStore.libraryVersion)) speaks to one server. Name one primary, or a proxy in front of "
                    + "the cluster: redis://host:port.")
        default: throw refuse("\"\(parts[0]):\" is none of redis: and unix:.")
        }
    }

    private static func hostAndPort(_ text: Substring) -> (String?, UInt16?) {
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let port = text[text.index(after: end)...]
            let host = String(text[text.index(after: text.startIndex)..<end])
            return (host, port.isEmpty ? 6_379 : UInt16(port.dropFirst()))
        }
        let pieces = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pieces.count <= 2, let host = pieces.first, !host.isEmpty else { return (nil, nil) }
        return (String(host), pieces.count == 2 ? UInt16(pieces[1]) : 6_379)
    }

    private static func decoded(_ text: Substring) -> String? { String(text).removingPercentEncoding }

    /// The place, for messages.
    var description: String {
        switch place {
        case .port(let host, let port): "\(host):\(port)"
        case .unix(let path): path
        }
    }
}
