// SPDX-License-Identifier: MIT
import Locks
public import PlatformBasics
import TaskCoordination

/// The cookies that origins have set, kept in memory.
///
/// A client keeps no cookies unless its configuration has a jar. The jar is not shared with any other client unless the
/// program gives it the same one. Cookies are credentials: responses to requests with cookies belong to one user, so a
/// program for several users needs a client, or no cookies, for each.
///
/// A cookie goes back to the host that set it and to no other. Its `Domain` attribute widens that only to domains which
/// the program has named, because the public suffixes (`co.uk`) are not known here. A cookie that asks for another
/// domain is dropped. There are at most 50 cookies of a host and 1,000 in all; the oldest goes first. Name, value and
/// path of one have at most 4 KiB, so the jar keeps at most 5 MiB. A `Secure` cookie comes from `https` and goes to it
/// alone, and the prefixes `__Secure-` and `__Host-` hold what they promise. Longer paths are sent first, and among
/// equals the older cookie. A request with a field `Cookie` of its own gets none of the jar.
/// - Source: RFC 6265, section 5.
public final class HTTPCookieJar: Sendable {
    private let cookies = Mutex<[HTTPCookie]>([])
    private let domains: [String]
    private let now: @Sendable () -> Date

    /// Tells jars apart in keys, which outlive them: an address is used again.
    let number = lastNumber.withLock { last in
        last += 1
        return last
    }

    private static let lastNumber = Mutex(0)
    private static let limit = 1_000
    private static let hostLimit = 50

    /// Creates an empty jar.
    /// - Parameters:
    ///   - sharedDomains: Domains whose hosts may share cookies, such as `example.com`.
    ///   - now: The clock for expiry.
    public init(sharedDomains: [String] = [], now: @escaping @Sendable () -> Date = { Date() }) {
        domains = sharedDomains.map { $0.lowercased() }
        self.now = now
    }

    /// The number of cookies, expired ones included until they are looked at.
    package var count: Int { cookies.withLock { $0.count } }

    /// The bytes that the cookies keep.
    /// - Complexity: O(*n*) in the number of cookies.
    package var byteCount: Int { cookies.withLock { $0.reduce(HeapSize.of($0)) { $0 + $1.heapByteCount } } }

    /// Removes every cookie.
    public func removeAll() {
        cookies.withLock { $0 = [] }
    }

    /// Takes the cookies of a response.
    /// - Complexity: O(*n*) in the number of cookies for each field.
    func store(_ fields: [String], from origin: Origin, path: String) {
        guard !fields.isEmpty else { return }
        let time = now()
        for field in fields.prefix(Self.hostLimit) {
            guard let cookie = HTTPCookie(field, origin: origin, path: path, sharedDomains: domains, now: time) else {
                continue
            }
            cookies.withLock { $0.store(cookie, at: time, hostLimit: Self.hostLimit, limit: Self.limit) }
        }
    }

    /// The value of the `Cookie` field for a request; `nil` without cookies for it.
    /// - Parameter others: Cookies of the request by their names, which take the place of those of the jar.
    /// - Complexity: O(*n*) in the number of cookies.
    func field(for origin: Origin, path: String, besides others: [String: String] = [:]) -> String? {
        let time = now()
        return cookies.withLock { cookies in
            guard !cookies.isEmpty else { return nil }
            cookies.removeAll { $0.hasExpired(at: time) }
            // Longer paths first; those of equal length keep their order of arrival.
            let fitting = cookies.filter { others[$0.name] == nil && $0.matches(origin, path: path) }.enumerated()
                .sorted {
                    ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
                }
            guard !fitting.isEmpty else { return nil }
            return fitting.map { "\($0.element.name)=\($0.element.value)" }.joined(separator: "; ")
        }
    }
}

extension [HTTPCookie] {
    /// Replaces the cookie of the same name, domain and path, or adds it and drops the oldest beyond the limits.
    fileprivate mutating func store(_ cookie: HTTPCookie, at time: Date, hostLimit: Int, limit: Int) {
        if let place = firstIndex(where: { $0.isSame(as: cookie) }) {
            self[place] = cookie
            if cookie.hasExpired(at: time) { remove(at: place) }
            return
        }
        guard !cookie.hasExpired(at: time) else { return }
        append(cookie)
        if filter({ $0.domain == cookie.domain }).count > hostLimit,
            let oldest = firstIndex(where: { $0.domain == cookie.domain })
        {
            remove(at: oldest)
        }
        if count > limit { removeFirst() }
    }
}

extension Origin {
    /// The path of a target, without query.
    static func path(of target: String) -> String {
        let bytes = target.utf8
        // After the two slashes before the host; a target always has them.
        let authority = bytes.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let path = authority.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/") else { return "/" }
        return String(Substring(path.prefix { $0 != UInt8(ascii: "?") }))
    }
}
