// SPDX-License-Identifier: MIT
/// The responses of a store in memory, up to a limit of bytes. A value: an actor or a lock owns it.
///
/// The address that was used least recently goes first. A response of more than a quarter of the limit is not kept, and
/// of one address at most 16 variants are.
public struct RawResponseTable: Sendable {
    private struct Address {
        var variants: [RawResponse] = []
        var lastUse = 0
    }

    /// The most variants of one address.
    public static let maximumVariantCount = 16

    private var addresses: [CacheTarget: Address] = [:]
    private var uses = 0
    private let byteLimit: Int
    /// The bytes that are kept: those of ``RawResponse/byteCount``.
    public private(set) var byteCount = 0

    /// Creates an empty table.
    ///
    /// - Parameter byteLimit: The most bytes to keep.
    public init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The number of responses.
    /// - Complexity: O(number of addresses).
    public var count: Int { addresses.values.reduce(0) { $0 + $1.variants.count } }

    /// The variants of an address, which counts as used now.
    /// - Complexity: O(1) on average.
    public mutating func responses(for target: CacheTarget) -> [RawResponse] {
        guard addresses[target] != nil else { return [] }
        touch(target)
        return addresses[target]?.variants ?? []
    }

    /// Keeps a response in place of the variant with the same key.
    /// - Complexity: O(number of variants), and O(number of addresses) for each that has to go.
    public mutating func store(_ response: RawResponse, for target: CacheTarget) {
        let key = response.stored.variantKey
        takeOut(target) { $0.stored.variantKey == key }
        guard response.byteCount <= byteLimit / 4 else { return }
        addresses[target, default: Address()].variants.append(response)
        byteCount += response.byteCount
        touch(target)
        if let first = addresses[target]?.variants.first,
            addresses[target]?.variants.count ?? 0 > Self.maximumVariantCount
        {
            takeOut(target) { $0.stored == first.stored }
        }
        while byteCount > byteLimit, let oldest = addresses.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
            remove(oldest)
        }
    }

    /// Replaces or removes the head of a variant, unless another response has taken its place.
    /// - Complexity: O(number of variants).
    public mutating func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) {
        guard var changed = addresses[target]?.variants.first(where: { $0.stored == old }) else { return }
        takeOut(target) { $0.stored == old }
        guard let new else { return }
        changed.stored = new
        store(changed, for: target)
    }

    /// Removes every variant of an address.
    /// - Complexity: O(number of variants).
    public mutating func remove(_ target: CacheTarget) { takeOut(target) { _ in true } }

    private mutating func touch(_ target: CacheTarget) {
        uses += 1
        addresses[target]?.lastUse = uses
    }

    private mutating func takeOut(_ target: CacheTarget, _ isTaken: (RawResponse) -> Bool) {
        guard var address = addresses.removeValue(forKey: target) else { return }
        for taken in address.variants where isTaken(taken) { byteCount -= taken.byteCount }
        address.variants.removeAll(where: isTaken)
        if !address.variants.isEmpty { addresses[target] = address }
    }
}
