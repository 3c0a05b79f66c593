// SPDX-License-Identifier: MIT
public import PlatformBasics

/// A request to an origin.
///
/// A plain value: it is checked when it is sent. Two requests are equal when the origin receives the same and the
/// ``Options-swift.struct`` are equal.
public struct HTTPRequest: Sendable, Hashable {
    /// The absolute `http` or `https` URL, without user name and password.
    ///
    /// The path is sent as it is, with its dot segments, unless the request is signed. The fragment is never sent.
    public var url: URL
    /// The method, in the case in which it is sent. A `HEAD` request has no content; with one it is refused.
    public var method: String
    /// Fields to send.
    ///
    /// The client sets the fields that frame the message (`Host`, `Content-Length`, `Transfer-Encoding`, `Connection`
    /// …); they are refused here.
    public var headers: HTTPHeaders
    /// The bytes to send with the request; `nil` without content and for a content that is not in memory. Their type is
    /// that of a field `Content-Type`; without one no type is sent.
    ///
    /// Assigning replaces ``content``.
    public var body: [UInt8]? {
        didSet { contentBox = nil }
    }
    /// `nil` for bytes in memory.
    private var contentBox: Box<HTTPContent>?

    /// What is sent with the request, in memory or not.
    ///
    /// Assigning bytes assigns ``body``.
    public var content: HTTPContent? {
        get { contentBox?.value ?? body.map { .bytes($0) } }
        set {
            guard let newValue else { return body = nil }
            if case .bytes(let bytes) = newValue.source { return body = bytes }
            body = nil
            contentBox = Box(newValue)
        }
    }

    /// Whether something is sent with the request.
    package var hasContent: Bool { body != nil || contentBox != nil }
    /// Whether the content is not in memory.
    var isStreamed: Bool { contentBox != nil }
    /// The content when it is not in memory.
    var streamedContent: HTTPContent? { contentBox?.value }

    /// `nil` for the usual request without options, which then is not larger.
    private var optionsBox: Box<Options>?

    /// Limits and policies of this request alone; by default the client's.
    /// - Complexity: O(1). Assigning allocates when the options are not empty.
    public var options: Options {
        get { optionsBox?.value ?? Options() }
        set { optionsBox = newValue == Options() ? nil : Box(newValue) }
    }

    /// ``Options-swift.struct/decodesContent``, without a copy of the options.
    var decodesContent: Bool { optionsBox?.value.decodesContent ?? true }

    /// The cookies of the options; `nil` without options.
    var cookies: HTTPRequestCookies? { optionsBox?.value.cookies }

    /// Whether the client's limits and policies apply unchanged.
    package var hasOptions: Bool { optionsBox != nil }

    /// Creates a request.
    /// - Parameters:
    ///   - url: The absolute `http` or `https` URL.
    ///   - method: A token of RFC 9110, section 9.1, not `CONNECT` and not `TRACE`.
    ///   - headers: Fields to send in addition to those of the client.
    ///   - body: The content, if any.
    ///   - options: Limits and policies of this request alone; by default the client's.
    public init(
        url: URL, method: String = "GET", headers: HTTPHeaders = [:], body: [UInt8]? = nil,
        options: Options? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        if let options { self.options = options }
    }
}
