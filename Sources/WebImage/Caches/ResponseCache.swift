// SPDX-License-Identifier: MIT
public import HTTPCaching
internal import HTTPTransport
internal import TaskCoordination

/// Keeps whole responses, of any type, in a store of files such as a ``DiskCache``: for a proxy that outlives its
/// process.
///
/// The responses of one address are one entry, so they come and go together. Programs that share the store share the
/// responses; when two change one address at once, one of the changes may be lost, which costs a transfer.
///
/// What the store returns is untrusted input: an entry that is not whole, or has a field that cannot be one, is a miss.
/// A failing store is a miss, too, and keeps nothing.
///
/// **Isolation**: the actor owns the order of changes. Reads do not wait for it.
///
/// **Cancellation**: every method throws `CancellationError` while it waits.
public actor ResponseCache: RawResponseStoring {
    /// The most variants of one address; the one that was stored first goes.
    package static let maximumVariantCount = RawResponseTable.maximumVariantCount

    private let store: any CacheStoring
    private var turns = KeyTurns()

    /// Creates a cache of responses in a store, which the caller shuts down.
    public init(_ store: any CacheStoring) { self.store = store }

    /// The variants that are kept for an address, in the order in which they were stored.
    ///
    /// - Complexity: That of ``CacheStoring/entry(for:)``; copies each body.
    public nonisolated func responses(for target: CacheTarget) async throws -> [RawResponse] {
        guard let entry = try await store.entry(for: Self.key(target)) else { return [] }
        return Self.decoded(entry.bytes) ?? []
    }

    /// Keeps a response in place of the variant with the same key.
    public func store(_ response: RawResponse, for target: CacheTarget) async throws {
        try await change(target) { kept in
            kept.removeAll { $0.stored.variantKey == response.stored.variantKey }
            kept.append(response)
            if kept.count > Self.maximumVariantCount { kept.removeFirst() }
        }
    }

    /// Replaces or removes the head of a variant, unless a later response has taken its place.
    public func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) async throws {
        try await change(target) { kept in
            guard let place = kept.firstIndex(where: { $0.stored == old }) else { return }
            if let new { kept[place].stored = new } else { kept.remove(at: place) }
        }
    }

    /// Removes every variant of an address.
    public func remove(_ target: CacheTarget) async throws { try await change(target) { $0 = [] } }

    /// Changes what is kept for an address; one change at a time.
    private func change(_ target: CacheTarget, _ body: (inout [RawResponse]) -> Void) async throws {
        let key = Self.key(target)
        let digest = KeyDigest(of: key)
        if !turns.take(digest), !(await turns.join(digest).wait(onCancel: false)) { throw CancellationError() }
        defer { turns.pass(digest) }
        let before = try await responses(for: target)
        var kept = before
        body(&kept)
        guard kept != before else { return }
        guard !kept.isEmpty else { return try await store.remove(key) }
        let entry = DiskEntry(metadata: EntryMetadata(url: target.description), bytes: Self.encoded(kept))
        // An earlier entry must not stay in the place of what the store does not take.
        if try await store.store(entry, for: key).error != nil { try await store.remove(key) }
    }

    /// A name that no picture has.
    private static func key(_ target: CacheTarget) -> CacheKey { CacheKey("\0response\0" + target.description) }

    // MARK: - The form in the store

    /// For each response: status, times, whether it has ended, selectors, fields, and the length of the body with the
    /// body.
    static func encoded(_ responses: [RawResponse]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(responses.reduce(0) { $0 + 256 + 2 * $1.byteCount - $1.body.count })
        for response in responses {
            let (head, selectors) = (response.stored.head, response.stored.selectors)
            bytes.append(littleEndian: UInt32(clamping: head.status))
            for time in [head.requestTime, head.responseTime] {
                bytes.append(littleEndian: UInt64(bitPattern: Int64(time.secondsSince1970)))
            }
            bytes.append(response.stored.isInvalidated ? 1 : 0)
            bytes.append(littleEndian: UInt32(clamping: selectors.count))
            for (name, value) in selectors.sorted(by: { $0.key < $1.key }) {
                bytes.append(counted: name)
                bytes.append(counted: value)
            }
            bytes.append(littleEndian: UInt32(clamping: head.headers.count))
            for field in head.headers {
                bytes.append(counted: field.name)
                bytes.append(counted: field.value)
            }
            bytes.append(littleEndian: UInt64(response.body.count))
            bytes.append(contentsOf: response.body)
        }
        return bytes
    }

    /// - Returns: `nil` when the bytes are no sequence of whole responses.
    static func decoded(_ bytes: [UInt8]) -> [RawResponse]? {
        var reader = ByteReader(bytes[...])
        var responses: [RawResponse] = []
        while !reader.isAtEnd {
            guard responses.count < maximumVariantCount,
                let status = reader.integer(UInt32.self), (100...999).contains(status),
                let requestTime = time(&reader), let responseTime = time(&reader), let isInvalidated = reader.byte(),
                let selectors = pairs(&reader), let fields = pairs(&reader),
                let length = reader.integer(UInt64.self).flatMap(Int.init(exactly:)),
                let body = reader.bytes(length)
            else { return nil }
            var headers = HTTPHeaders()
            for (name, value) in fields {
                guard !name.isEmpty, (name + value).utf8.allSatisfy({ $0 != 0 && $0 != 10 && $0 != 13 }) else {
                    return nil
                }
                headers.append(name: name, value: value)
            }
            let head = ResponseHead(
                status: Int(status), headers: headers, requestTime: requestTime, responseTime: responseTime)
            let stored = StoredResponse(
                head: head, selectors: Dictionary(selectors) { $1 }, isInvalidated: isInvalidated != 0)
            responses.append(RawResponse(stored: stored, body: Array(body)))
        }
        return responses
    }

    private static func time(_ reader: inout ByteReader) -> HTTPDate? {
        reader.integer(UInt64.self).map { HTTPDate(secondsSince1970: Int(Int64(bitPattern: $0))) }
    }

    private static func pairs(_ reader: inout ByteReader) -> [(String, String)]? {
        guard let count = reader.integer(UInt32.self) else { return nil }
        var pairs: [(String, String)] = []
        for _ in 0..<count {
            guard let name = reader.counted(), let value = reader.counted() else { return nil }
            pairs.append((String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return pairs
    }
}
