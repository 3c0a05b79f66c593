// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

/// One cookie, and the requests that it is for.
struct HTTPCookie: Sendable, Hashable {
    let name: String
    let value: String
    /// In lower case, without a leading dot.
    let domain: String
    /// Whether hosts below the domain get the cookie, too.
    let includesSubdomains: Bool
    let path: String
    let isSecure: Bool
    /// `nil` for a cookie that lives as long as the jar.
    let expiry: Date?

    /// Reads a `Set-Cookie` field.
    /// - Returns: `nil` for a field that breaks the rules or asks for a domain that it may not have.
    /// - Source: RFC 6265, sections 5.2 and 5.3; RFC 6265bis for the prefixes of names.
    init?(_ field: String, origin: Origin, path requestPath: String, sharedDomains: [String], now: Date) {
        guard field.utf8.count <= 4_096, field.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return nil
        }
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        guard let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
        name = pair[..<equals].trimmed
        value = pair[pair.index(after: equals)...].trimmed
        guard name.isToken else { return nil }
        var attributes: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            attributes[pair[0].trimmed.lowercased()] = pair.count == 2 ? pair[1].trimmed : ""
        }
        isSecure = attributes["secure"] != nil
        guard !isSecure || origin.isSecure else { return nil }
        let asked = attributes["domain"].map { String($0.lowercased().drop { $0 == "." }) } ?? ""
        if asked.isEmpty || asked == origin.host {
            // A host may ask for its own name; hosts below it get the cookie only if the program shares the domain.
            domain = origin.host
            includesSubdomains = asked == origin.host && sharedDomains.contains(origin.host)
        } else {
            let isShared = sharedDomains.contains { asked == $0 || asked.hasSuffix("." + $0) }
            guard isShared, origin.host.hasSuffix("." + asked), origin.literalAddress == nil else { return nil }
            domain = asked
            includesSubdomains = true
        }
        let path = attributes["path"] ?? ""
        self.path = path.utf8.first == UInt8(ascii: "/") ? path : Self.defaultPath(requestPath)
        // A path that the field does not name is that of the request, of any length.
        guard name.utf8.count + value.utf8.count + self.path.utf8.count <= 4_096 else { return nil }
        if name.hasPrefix("__Secure-") || name.hasPrefix("__Host-"), !isSecure { return nil }
        if name.hasPrefix("__Host-"), !asked.isEmpty || self.path != "/" { return nil }
        if let age = attributes["max-age"] {
            guard let seconds = Int(age) else { return nil }
            expiry = seconds <= 0 ? .distantPast : now + Double(min(seconds, 400 * 86_400))
        } else {
            expiry = attributes["expires"].flatMap(CookieDate.parse)
        }
    }

    func hasExpired(at time: Date) -> Bool { expiry.map { $0 <= time } ?? false }

    /// What the cookie keeps on the heap, in bytes.
    var heapByteCount: Int { [name, value, domain, path].reduce(0) { $0 + HeapSize.of($1) } }

    /// Whether one replaces the other.
    func isSame(as other: HTTPCookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path
            && includesSubdomains == other.includesSubdomains
    }

    /// - Source: RFC 6265, sections 5.1.3, 5.1.4 and 5.4.
    func matches(_ origin: Origin, path requestPath: String) -> Bool {
        let isHost = origin.host == domain || includesSubdomains && origin.host.hasSuffix("." + domain)
        guard isHost, !isSecure || origin.isSecure, requestPath.hasPrefix(path) else { return false }
        return requestPath.utf8.count == path.utf8.count || path.hasSuffix("/")
            || requestPath.utf8.dropFirst(path.utf8.count).first == UInt8(ascii: "/")
    }

    private static func defaultPath(_ path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
