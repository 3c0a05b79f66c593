// SPDX-License-Identifier: MIT
import PlatformBasics

/// The hops of one request, and the rules that lead from one to the next.
/// - Source: RFC 9110, section 15.4.
struct RedirectChain {
    private(set) var current: Hop
    private let settings: TransferSettings
    /// The method and the target of each earlier hop: repeating both is a loop.
    private var visited: Set<[String]> = []

    init(first: Hop, settings: TransferSettings) {
        current = first
        self.settings = settings
    }

    private static let neverForwarded: Set<String> = ["authorization", "cookie", "cookie2", "proxy-authorization"]

    /// The URL of the current hop.
    var url: URL { current.request.url }

    /// Moves on to the next hop.
    /// - Returns: `false` when the head is the final response, because it is no redirect, has no target, or redirects
    ///   are not followed, or not this one.
    mutating func follow(_ head: ResponseHead) async throws -> Bool {
        guard [301, 302, 303, 307, 308].contains(head.status), settings.configuration.maximumRedirects > 0,
            let location = try location(of: head)
        else { return false }
        guard visited.count < settings.configuration.maximumRedirects else {
            throw refusal(
                .tooManyRedirects, "More than \(settings.configuration.maximumRedirects) redirects.", head.status)
        }
        // Noted when the hop is left, because most requests are never redirected.
        visited.insert([current.request.method, current.target])
        let target = try resolve(location, head.status)
        guard let request = try await decided(request(to: target, after: head.status), head) else { return false }
        let next = try Hop(request, settings: settings)
        if current.origin.isSecure, !next.origin.isSecure, !settings.configuration.allowsInsecureRedirects {
            let message = "A redirect leads from https to http; allow insecure redirects if that is acceptable."
            throw refusal(.redirectNotAllowed, message, head.status)
        }
        guard !visited.contains([next.request.method, next.target]) else {
            throw refusal(.tooManyRedirects, "The redirects loop back to \(next.target).", head.status)
        }
        current = next
        return true
    }

    /// Sends the current hop again, with a credential for its origin.
    mutating func authorize(_ field: String) throws(HTTPError) {
        var request = current.request
        request.headers["Authorization"] = field
        // In place of it, also where that one signs.
        if request.hasOptions { request.options.credential = nil }
        current = try Hop(request, settings: settings)
    }

    private func refusal(_ code: HTTPError.Code, _ message: String, _ status: Int) -> HTTPError {
        HTTPError(code: code, message: message, url: url, status: status)
    }

    /// The target of the redirect. Several different ones are refused, because clients would read them differently.
    private func location(of head: ResponseHead) throws -> String? {
        let locations = Set(head.headers.values(for: "Location"))
        guard locations.count <= 1 else {
            throw refusal(.invalidResponse, "The redirect has several Location fields that differ.", head.status)
        }
        return locations.first
    }

    /// Resolves against the current URL, and inherits its fragment (RFC 9110, section 10.2.2).
    ///
    /// Spaces are escaped, as browsers and curl do.
    private func resolve(_ location: String, _ status: Int) throws -> URL {
        let text = location.isEmpty ? current.target : location.replacing(" ", with: "%20")
        guard text.utf8.count <= settings.configuration.maximumURLByteCount,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            var target = URL(string: text, relativeTo: url)?.absoluteURL
        else { throw refusal(.redirectNotAllowed, "The redirect does not lead to a URL.", status) }
        if !text.contains("#"), let fragment = url.fragment(percentEncoded: true),
            let inherited = URL(string: target.absoluteString + "#" + fragment)
        {
            target = inherited
        }
        return target
    }

    /// What the program's rule makes of the next request; `nil` when the redirect is the response.
    private func decided(_ next: HTTPRequest, _ head: ResponseHead) async throws -> HTTPRequest? {
        guard let rule = settings.configuration.redirectRule else { return next }
        let redirect = HTTPRedirect(
            status: head.status, headers: head.headers, source: url, next: next, precedingCount: visited.count - 1)
        switch try await rule.decide(redirect) {
        case .follow: return next
        case .answer: return nil
        case .refuse:
            let message = "The redirect rule \(rule.identity) refuses \(next.url.absoluteString)."
            throw refusal(.redirectNotAllowed, message, head.status)
        case .change(var changed):
            changed.options = next.options
            return try withoutForeignParts(changed, after: head.status)
        }
    }

    private func request(to target: URL, after status: Int) throws -> HTTPRequest {
        var request = current.request
        request.url = target
        if status < 307, request.method != "GET", request.method != "HEAD" {
            request.method = "GET"
            request.content = nil
            // Fields about the content, which is no longer sent (RFC 9110, section 15.4, point 5).
            for name in ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location"] {
                request.headers.removeAll(named: name)
            }
        }
        return try withoutForeignParts(request, after: status)
    }

    /// The request without what an origin other than the present one may not get.
    private func withoutForeignParts(_ request: HTTPRequest, after status: Int) throws -> HTTPRequest {
        var request = request
        let origin: Origin
        do { origin = try Origin(request.url) } catch {
            throw HTTPError(
                code: .redirectNotAllowed, message: "The redirect leads to a URL that may not be fetched.", url: url,
                status: status, cause: error)
        }
        if origin != current.origin {
            let forwarded = Set(settings.configuration.headersForOtherOrigins.map { $0.lowercased() }).subtracting(
                Self.neverForwarded)
            request.headers = HTTPHeaders(request.headers.filter { forwarded.contains($0.name.lowercased()) })
            if request.hasOptions {
                request.options.credential = nil
                request.options.cookies.values = [:]
            }
        }
        return request
    }
}
