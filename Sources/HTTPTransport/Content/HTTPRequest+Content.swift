// SPDX-License-Identifier: MIT
public import PlatformBasics

extension HTTPRequest {
    /// Creates a request whose URL has these items after those that it already has.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` when the result is no URL.
    public init(url: URL, method: String = "GET", query: HTTPQuery) throws(HTTPError) {
        guard !query.items.isEmpty else {
            self.init(url: url, method: method)
            return
        }
        let text = url.absoluteString
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let separator = text[..<fragment].contains("?") ? "&" : "?"
        guard let extended = URL(string: text[..<fragment] + separator + query.escaped + text[fragment...]) else {
            throw .invalidRequest("The URL cannot have a query.", at: url)
        }
        self.init(url: extended, method: method)
    }

    /// Creates a request with a form as its content, `application/x-www-form-urlencoded`.
    public init(url: URL, method: String = "POST", form: HTTPQuery) {
        self.init(
            url: url, method: method, headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Array(form.escaped.utf8))
    }

    /// Creates a request with a value as its content, `application/json`.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` when the value cannot be encoded.
    public init(
        url: URL, method: String = "POST", json value: some Encodable, with encoder: JSONEncoder = JSONEncoder()
    ) throws(HTTPError) {
        let bytes = try Self.encoded { try encoder.encode(value) }
        self.init(url: url, method: method, headers: ["Content-Type": "application/json"], body: bytes)
    }

    /// Creates a request with a value as its content, `application/x-plist`.
    /// - Throws: ``HTTPError`` with code `.invalidRequest` when the value cannot be encoded.
    public init(
        url: URL, method: String = "POST", propertyList value: some Encodable,
        with encoder: PropertyListEncoder = PropertyListEncoder()
    ) throws(HTTPError) {
        let bytes = try Self.encoded { try encoder.encode(value) }
        self.init(url: url, method: method, headers: ["Content-Type": "application/x-plist"], body: bytes)
    }

    /// Creates a request with the parts of a form as its content, `multipart/form-data`.
    /// - Throws: As ``MultipartForm/content()``.
    public init(url: URL, method: String = "POST", multipart form: MultipartForm) throws(HTTPError) {
        self.init(url: url, method: method, headers: ["Content-Type": form.contentType])
        content = try form.content()
    }

    private static func encoded(_ encode: () throws -> Data) throws(HTTPError) -> [UInt8] {
        do { return Array(try encode()) } catch {
            throw .cannotEncode(because: error)
        }
    }
}
