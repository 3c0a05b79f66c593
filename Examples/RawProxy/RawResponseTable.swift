// SPDX-License-Identifier: MIT
import HTTPCaching
import HTTPTransport
import TaskCoordination

/// The responses of a store in memory, up to a limit of bytes. A value: an actor or a lock owns it.
///
/// The address that was used least recently goes first. A response of more than a quarter of the limit is not kept, and
/// of one address at most 16 variants are.
struct RawResponseTable: Sendable {
    /// The most variants of one address.
    static let maximumVariantCount = 16

    private var addresses: BoundedTable<CacheTarget, [RawResponse]>
    /// The bytes that are kept: those of addresses, of ``RawResponse/byteCount``, and of the table.
    var byteCount: Int { addresses.byteCount }
    /// The most bytes to keep. The addresses used least recently go when it falls.
    var byteLimit: Int {
        get { addresses.byteLimit }
        set { addresses.byteLimit = newValue }
    }

    /// Creates an empty table.
    ///
    /// - Parameter byteLimit: The most bytes to keep.
    init(byteLimit: Int) { addresses = BoundedTable(byteLimit: byteLimit) }

    /// The number of addresses.
    var addressCount: Int { addresses.count }

    /// The variants of an address, which counts as used now.
    /// - Complexity: O(1) on average.
    mutating func responses(for target: CacheTarget) -> [RawResponse] { addresses.use(target) ?? [] }

    /// Keeps a response in place of the variant with the same key.
    /// - Complexity: O(number of variants), amortised over the addresses that make room.
    mutating func store(_ response: RawResponse, for target: CacheTarget) {
        let key = response.stored.variantKey
        var variants = (addresses[target] ?? []).filter { $0.stored.variantKey != key }
        if response.byteCount <= byteLimit / 4 { variants.append(response) }
        keep(variants, for: target)
    }

    /// Replaces or removes the head of a variant, unless another response has taken its place.
    /// - Complexity: O(number of variants).
    mutating func change(_ old: StoredResponse, to new: StoredResponse?, for target: CacheTarget) {
        guard var variants = addresses[target], let place = variants.firstIndex(where: { $0.stored == old }) else {
            return
        }
        var changed = variants.remove(at: place)
        keep(variants, for: target)
        guard let new else { return }
        changed.stored = new
        store(changed, for: target)
    }

    /// Removes every variant of an address.
    /// - Complexity: O(number of variants).
    mutating func remove(_ target: CacheTarget) { addresses.remove(target) }

    /// Keeps the newest of these variants, as many as may be.
    private mutating func keep(_ variants: [RawResponse], for target: CacheTarget) {
        var kept = Array(variants.suffix(Self.maximumVariantCount))
        repeat {
            guard !kept.isEmpty else { return _ = addresses.remove(target) }
            let bytes = kept.reduce(target.heapByteCount + HeapSize.allocation(32)) { $0 + $1.byteCount }
            if addresses.store(kept, for: target, heapByteCount: bytes) { return }
            kept.removeFirst()
        } while true
    }
}
