// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import PlatformBasics
import TaskCoordination

/// The beginnings of bodies that broke off, in memory, for a ``ResumingLoader``.
///
/// The one that was kept longest ago goes first.
public final class PartialBodyStore: Sendable {
    private let bodies: Mutex<BoundedTable<HTTPRequest, PartialBody>>
    /// The largest beginning to keep.
    let maximumBodyByteCount: Int

    /// Creates an empty store.
    /// - Parameters:
    ///   - maximumByteCount: The largest number of bytes in all, those of requests and fields included; default 64 MiB.
    ///   - maximumBodyByteCount: The largest number of bytes of one body; a longer beginning is not kept. Default 16
    ///     MiB.
    ///   - maximumCount: The largest number of bodies; default 1,000.
    public init(maximumByteCount: Int = 64 << 20, maximumBodyByteCount: Int = 16 << 20, maximumCount: Int = 1_000) {
        bodies = Mutex(BoundedTable(byteLimit: maximumByteCount, countLimit: maximumCount))
        self.maximumBodyByteCount = min(max(0, maximumBodyByteCount), max(0, maximumByteCount))
    }

    /// The number of bodies.
    public var count: Int { bodies.withLock { $0.count } }
    /// The number of bytes that are kept: bodies, requests and fields.
    public var byteCount: Int { bodies.withLock { $0.byteCount } }

    /// Removes every body.
    public func removeAll() {
        bodies.withLock { $0.removeAll() }
    }

    /// Takes the beginning for a request out of the store.
    func take(_ key: HTTPRequest) -> PartialBody? {
        bodies.withLock { $0.remove(key) }
    }

    /// Keeps a beginning, unless a longer one of the same body is there.
    /// - Complexity: O(number of chunks and fields), amortised over the bodies that make room.
    func keep(_ body: PartialBody, for key: HTTPRequest) {
        guard body.count > 0, body.count <= maximumBodyByteCount else { return }
        let heapByteCount = HeapSize.of(key) + body.heapByteCount
        bodies.withLock { bodies in
            if let old = bodies[key], old.validator == body.validator, old.count >= body.count { return }
            bodies.store(body, for: key, heapByteCount: heapByteCount)
        }
    }
}

/// The beginning of a body, and what says that a rest belongs to it.
struct PartialBody: Sendable {
    /// A strong entity tag, or the date of the last change.
    let validator: String
    /// The fields of the response that began the body.
    var headers: HTTPHeaders
    /// The length of the whole body, if it was announced.
    var total: Int?
    var chunks: [[UInt8]] = []
    /// The number of bytes from the beginning on, of which ``chunks`` has all or none.
    var count = 0

    /// - Returns: `nil` for a response whose rest could not be asked for: one without a strong validator, encoded, or
    ///   of an origin that says that it has no ranges.
    init?(_ response: HTTPResponse, to request: HTTPRequest) {
        guard response.status == 200, request.isResumable, !response.headers.contains(name: "Content-Encoding"),
            response.headers["Accept-Ranges"]?.lowercased() != "none",
            let validator = Self.validator(of: response.headers)
        else { return nil }
        self.validator = validator
        headers = response.headers
        total = response.body.expectedByteCount
    }

    /// The beginning of a body whose bytes are elsewhere.
    init(validator: String, total: Int?, count: Int) {
        self.validator = validator
        headers = [:]
        self.total = total
        self.count = count
    }

    mutating func append(_ chunk: [UInt8]) {
        chunks.append(chunk)
        count += chunk.count
    }

    /// What the beginning keeps on the heap, in bytes.
    var heapByteCount: Int {
        chunks.reduce(HeapSize.of(chunks) + HeapSize.of(validator) + HeapSize.of(headers)) { $0 + HeapSize.of($1) }
    }

    /// Whether a rest has the validator of the beginning. A rest without one, or with a weak tag, may be of another
    /// content.
    /// - Source: RFC 9110, section 15.3.7.3.
    func isOfSameContent(as rest: HTTPHeaders) -> Bool {
        rest[validator.hasPrefix("\"") ? "ETag" : "Last-Modified"] == validator
    }

    /// - Source: RFC 9110, sections 8.8.2.2 and 13.1.5.
    static func validator(of headers: HTTPHeaders) -> String? {
        if let tag = headers["ETag"] { return tag.hasPrefix("\"") && tag.utf8.count >= 2 ? tag : nil }
        guard let changed = headers["Last-Modified"], let sent = headers["Date"],
            let sendDate = HTTPDate(sent, receivedAt: HTTPDate(Date())),
            let changeDate = HTTPDate(changed, receivedAt: sendDate), sendDate.seconds(since: changeDate) >= 60
        else { return nil }
        return changed
    }
}

extension HTTPRequest {
    /// Whether a rest of the response can be asked for.
    var isResumable: Bool {
        method == "GET" && !hasContent && !isConditional
            && !["Range", "If-Range", "If-Match", "If-Unmodified-Since"].contains { headers.contains(name: $0) }
    }
}
