// SPDX-License-Identifier: MIT
public import HTTPTransport
public import PlatformBasics
import TaskCoordination

/// What the origin said about a picture, as of the last transfer that brought or confirmed it.
///
/// A value of one word: copies share their fields.
public struct OriginResponse: Sendable, Hashable {
    private var fields: Shared<Fields>

    private struct Fields: Sendable, Hashable {
        var url: URL
        var status: Int
        var headers: HTTPHeaders
        var requestedAt: Date?
        var receivedAt: Date
        var metrics: HTTPMetrics?
        var selectors: [String: String]?
    }

    /// Creates a value.
    public init(
        url: URL, status: Int, headers: HTTPHeaders, requestedAt: Date? = nil, receivedAt: Date = .now,
        metrics: HTTPMetrics? = nil
    ) {
        fields = Shared(
            Fields(
                url: url, status: status, headers: headers, requestedAt: requestedAt, receivedAt: receivedAt,
                metrics: metrics))
    }

    /// Whether both say the same.
    public static func == (one: OriginResponse, other: OriginResponse) -> Bool {
        one.fields === other.fields || one.fields.value == other.fields.value
    }

    /// Feeds every field.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields.value) }

    /// The address of the response, after redirects.
    public var url: URL { fields.value.url }

    /// The status code.
    public var status: Int { fields.value.status }

    /// The fields of the response. The disk cache keeps those in ``storedFields`` only.
    public var headers: HTTPHeaders { fields.value.headers }

    /// When the request was sent; by default the time of arrival less what the transfer has measured up to the head.
    ///
    /// A response that was long on its way has aged meanwhile.
    public var requestedAt: Date {
        fields.value.requestedAt ?? receivedAt.addingTimeInterval(-(metrics?.firstByte ?? .zero).seconds)
    }

    /// When the head of the response arrived.
    public var receivedAt: Date { fields.value.receivedAt }

    /// The measurements of the transfer; `nil` for a picture from a cache.
    public var metrics: HTTPMetrics? { fields.value.metrics }

    /// The values of the request's fields that `Vary` names, by lower-case name; `nil` when they are not known.
    var selectors: [String: String]? {
        get { fields.value.selectors }
        set {
            var changed = fields.value
            changed.selectors = newValue
            fields = Shared(changed)
        }
    }

    /// What the response keeps on the heap, in bytes.
    ///
    /// - Complexity: O(number of fields).
    var heapByteCount: Int {
        let fields = fields.value
        let selectors = (fields.selectors ?? [:]).reduce(0) { $0 + 64 + HeapSize.of($1.key) + HeapSize.of($1.value) }
        return HeapSize.ofObject(Fields.self) + HeapSize.of(fields.url) + HeapSize.of(fields.headers) + selectors
            + HeapSize.of(fields.metrics?.remoteAddress ?? "")
    }

    /// The names of the fields that are kept on disk: those that describe the content and say how long it is valid.
    /// Cookies and other fields that may belong to one user are not among them.
    public static let storedFields: [String] = [
        "Age", "Cache-Control", "Content-Disposition", "Content-Language", "Content-Location", "Content-Type", "Date",
        "ETag", "Expires", "Last-Modified", "Vary",
    ]

    /// The entity tag, as received, with quotes and `W/`.
    public var entityTag: String? { headers["ETag"] }

    /// The `Last-Modified` field, as received.
    public var lastModified: String? { headers["Last-Modified"] }
}
