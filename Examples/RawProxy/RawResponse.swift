// SPDX-License-Identifier: MIT
import HTTPCaching
import HTTPTransport
import TaskCoordination

/// A whole response as a cache keeps it: status, fields in their order, and body.
struct RawResponse: Sendable, Hashable {
    /// What the rules look at.
    var stored: StoredResponse
    /// The content, in the coding in which it arrived.
    var body: [UInt8]

    /// Creates a response.
    init(stored: StoredResponse, body: [UInt8]) {
        self.stored = stored
        self.body = body
    }

    /// The memory that the response takes: the body, the fields and the selectors.
    /// - Complexity: O(number of fields).
    var byteCount: Int {
        // A place in a hash table, which has some room for more.
        let selectors = stored.selectors.reduce(0) { $0 + 64 + HeapSize.of($1.key) + HeapSize.of($1.value) }
        return MemoryLayout<RawResponse>.stride + HeapSize.of(body) + HeapSize.of(stored.head.headers) + selectors
    }
}

/// Keeps whole responses for a cache.
///
/// A store looks at no field. Which response is kept, used, changed and removed is the rules' decision.
protocol RawResponseStoring: Sendable {
    /// The variants that are kept for an address, in any order.
    func responses(for target: CacheTarget) async throws -> [RawResponse]

    /// Keeps a response in place of the variant with the same ``StoredResponse/variantKey``.
    func store(_ response: RawResponse, for target: CacheTarget) async throws

    /// Replaces or removes the head of a variant; the body stays.
    ///
    /// - Parameters:
    ///   - old: What the change was made from. Nothing happens when it is no longer what is kept: a later response has
    ///     taken its place.
    ///   - new: The head to keep; `nil` removes the variant.
    ///   - target: The address.
    func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) async throws

    /// Removes every variant of an address.
    func remove(_ target: CacheTarget) async throws
}
