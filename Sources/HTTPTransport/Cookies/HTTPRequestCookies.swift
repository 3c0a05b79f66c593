// SPDX-License-Identifier: MIT
import PlatformBasics

/// The cookies of one request. By default those of the client's jar are sent, and those that are answered are kept.
///
/// They are credentials: requests with different cookies are different requests for everything that shares transfers
/// or keeps responses. Their description has no name and no value.
public struct HTTPRequestCookies: Sendable {
    /// The values of cookies by their names, for the origin of the URL; none by default.
    ///
    /// They are sent again after redirects within that origin, and never to another one, also not after a redirect that
    /// comes back. One takes the place of a cookie of the jar with its name. A name is a token, and a value has neither
    /// a control character nor a semicolon; otherwise the request is refused, as it is beside a `Cookie` field.
    public var values: [String: String] = [:]
    /// A jar in place of the client's; `nil` by default.
    ///
    /// A new jar keeps cookies over the redirects of the request and no longer.
    public var jar: HTTPCookieJar?
    /// Whether the cookies of the jar are sent; `true` by default.
    public var sendsJar = true
    /// Whether the jar takes the cookies that the responses set, those of redirects included; `true` by default.
    public var keepsAnswered = true

    /// Creates the default: the client's jar alone.
    public init() {}

    /// The text of the values, in the order of their names.
    private var text: String {
        values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    /// The value of the `Cookie` field for a hop: what fits of the jar, then the values.
    func field(_ jar: HTTPCookieJar?, for hop: Hop) -> String? {
        let kept = sendsJar ? jar?.field(for: hop.origin, path: Origin.path(of: hop.target), besides: values) : nil
        guard !values.isEmpty else { return kept }
        return kept.map { "\($0); \(text)" } ?? text
    }

    /// Refuses names and values that would be read as others, a second source of the field, and too many bytes.
    func check(_ request: HTTPRequest, limit: Int) throws(HTTPError) {
        guard !values.isEmpty else { return }
        guard !request.headers.contains(name: "Cookie") else {
            throw .invalidRequest("The request has cookies and a Cookie field; keep one.", at: request.url)
        }
        let areSafe = values.allSatisfy { name, value in
            name.isToken && value.allBytes { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
                && value.utf8.count == value.trimmed.utf8.count
        }
        guard areSafe, text.utf8.count <= limit else {
            throw .invalidRequest(
                "A cookie of the request has a name or a value that cannot be sent, or they are too long.",
                at: request.url)
        }
    }
}

extension HTTPRequestCookies: Hashable {
    /// Compares the bytes of names and values, and the jars as objects.
    public static func == (left: Self, right: Self) -> Bool {
        left.jar === right.jar && left.sendsJar == right.sendsJar && left.keepsAnswered == right.keepsAnswered
            && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Feeds the bytes of names and values, and the number of the jar.
    public func hash(into hasher: inout Hasher) {
        // Bytes, because texts of different bytes may be equal, and keys are made of these hashes.
        hasher.combine(Array(text.utf8))
        hasher.combine(jar?.number)
        hasher.combine(sendsJar)
        hasher.combine(keepsAnswered)
    }
}

extension HTTPRequestCookies: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of values.
    public var description: String { "\(values.count) cookies" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// Empty, so that a dump does not show the values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
