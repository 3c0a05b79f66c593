// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import TaskCoordination
import WebImage

/// Keeps whole responses, of any type, in a store of files such as a `DiskCache`: for a proxy that outlives its
/// process.
///
/// The responses of one address are one entry, so they come and go together. Programs that share the store share the
/// responses; when two change one address at once, one of the changes may be lost, which costs a transfer.
///
/// What the store returns is untrusted input: an entry that is not whole, or has a field that cannot be one, is a miss.
/// A failing store is a miss, too, and keeps nothing.
///
/// **Cancellation**: every method throws `CancellationError` while it waits.
final class ResponseCache: RawResponseStoring {
    private let store: any CacheStoring
    /// One change at a time of each address. A few addresses share a turn.
    private let turns = (0..<64).map { Slots(limit: 1, name: "turn \($0)") }

    /// Creates a cache of responses in a store, which the caller shuts down.
    init(_ store: any CacheStoring) { self.store = store }

    /// The variants that are kept for an address, in the order in which they were stored.
    func responses(for target: CacheTarget) async throws -> [RawResponse] {
        guard let entry = try await store.entry(for: Self.key(target)) else { return [] }
        return Self.decoded(entry.bytes) ?? []
    }

    /// Keeps a response in place of the variant with the same key.
    func store(_ response: RawResponse, for target: CacheTarget) async throws {
        try await change(target) { kept in
            kept.removeAll { $0.stored.variantKey == response.stored.variantKey }
            kept.append(response)
            // The one that was stored first goes.
            if kept.count > RawResponseTable.maximumVariantCount { kept.removeFirst() }
        }
    }

    /// Replaces or removes the head of a variant, unless a later response has taken its place.
    func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) async throws {
        try await change(target) { kept in
            guard let place = kept.firstIndex(where: { $0.stored == old }) else { return }
            if let new { kept[place].stored = new } else { kept.remove(at: place) }
        }
    }

    /// Removes every variant of an address.
    func remove(_ target: CacheTarget) async throws { try await change(target) { $0 = [] } }

    private func change(_ target: CacheTarget, _ body: (inout [RawResponse]) -> Void) async throws {
        let key = Self.key(target)
        let turn = turns[Int(UInt(bitPattern: target.hashValue) % UInt(turns.count))]
        try await turn.withSlot {
            let before = try await responses(for: target)
            var kept = before
            body(&kept)
            guard kept != before else { return }
            guard !kept.isEmpty else { return try await store.remove(key) }
            let entry = DiskEntry(metadata: EntryMetadata(url: target.description), bytes: Self.encoded(kept))
            // An earlier entry must not stay in the place of what the store does not take.
            if try await store.store(entry, for: key).error != nil { try await store.remove(key) }
        }
    }

    /// A name that no picture has.
    private static func key(_ target: CacheTarget) -> CacheKey { CacheKey("\0response\0" + target.description) }

    // MARK: - The form in the store

    /// What is known about a response, in JSON.
    private struct Head: Codable {
        let status: Int
        let requestTime: Int
        let responseTime: Int
        let isInvalidated: Bool
        let selectors: [String: String]
        let fields: [[String]]
        let byteCount: Int
    }

    /// The length of the heads as eight hexadecimal digits, the heads, and the bodies one after the other.
    static func encoded(_ responses: [RawResponse]) -> [UInt8] {
        let heads = responses.map { response in
            let head = response.stored.head
            return Head(
                status: head.status, requestTime: head.requestTime.secondsSince1970,
                responseTime: head.responseTime.secondsSince1970, isInvalidated: response.stored.isInvalidated,
                selectors: response.stored.selectors, fields: head.headers.map { [$0.name, $0.value] },
                byteCount: response.body.count)
        }
        // Strings and whole numbers alone, which have a form.
        let text = (try? JSONEncoder().encode(heads)) ?? Data()
        let digits = String(text.count, radix: 16)
        let length = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        return responses.reduce(Array(length.utf8) + text) { $0 + $1.body }
    }

    /// - Returns: `nil` when the bytes are no sequence of whole responses.
    static func decoded(_ bytes: [UInt8]) -> [RawResponse]? {
        guard let length = Int(String(decoding: bytes.prefix(8), as: UTF8.self), radix: 16), length >= 0,
            length <= bytes.count - 8,
            let heads = try? JSONDecoder().decode([Head].self, from: Data(bytes[8..<8 + length])),
            heads.count <= RawResponseTable.maximumVariantCount
        else { return nil }
        var rest = bytes[(8 + length)...]
        var responses: [RawResponse] = []
        for head in heads {
            guard (100...999).contains(head.status), (0...rest.count).contains(head.byteCount) else { return nil }
            var headers = HTTPHeaders()
            for field in head.fields {
                guard field.count == 2, !field[0].isEmpty,
                    field.joined().utf8.allSatisfy({ $0 != 0 && $0 != 10 && $0 != 13 })
                else { return nil }
                headers.append(name: field[0], value: field[1])
            }
            let stored = StoredResponse(
                head: ResponseHead(
                    status: head.status, headers: headers,
                    requestTime: HTTPDate(secondsSince1970: head.requestTime),
                    responseTime: HTTPDate(secondsSince1970: head.responseTime)),
                selectors: head.selectors, isInvalidated: head.isInvalidated)
            responses.append(RawResponse(stored: stored, body: Array(rest.prefix(head.byteCount))))
            rest = rest.dropFirst(head.byteCount)
        }
        return rest.isEmpty ? responses : nil
    }
}
