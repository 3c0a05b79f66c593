// SPDX-License-Identifier: MIT
/// Values under keys, up to a limit in bytes. What was stored or used longest ago leaves first.
///
/// For every table that grows with what others send: a number of entries is no limit where the sender decides how long
/// a key is. The bytes are those that the caller names for what key and value keep on the heap, see ``HeapSize``, and
/// ``overhead`` for each entry.
///
/// A value: an actor or a lock owns it.
public struct BoundedTable<Key: Hashable, Value> {
    /// An entry between its neighbours, by their numbers; -1 ends a chain. An unused node leads to the next one by
    /// `older`.
    @usableFromInline struct Node {
        @usableFromInline var entry: (key: Key, value: Value)?
        @usableFromInline var byteCount = 0
        @usableFromInline var newer: Int32 = -1
        @usableFromInline var older: Int32 = -1

        @usableFromInline init() {}
    }

    @usableFromInline var numbers: [Key: Int32] = [:]
    @usableFromInline var nodes: [Node] = []
    private var newest: Int32 = -1
    private var last: Int32 = -1
    private var unused: Int32 = -1
    private let countLimit: Int

    /// The bytes that are kept: those of keys, values and nodes.
    public private(set) var byteCount = 0

    /// The most bytes to keep. Entries leave at once when it falls.
    public var byteLimit: Int {
        didSet { if byteLimit < oldValue { trim(to: byteLimit) } }
    }

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - byteLimit: The most bytes to keep.
    ///   - countLimit: The most entries to keep; by default as many as the bytes allow.
    public init(byteLimit: Int, countLimit: Int = .max) {
        self.byteLimit = byteLimit
        self.countLimit = min(max(0, countLimit), Int(Int32.max))
    }

    /// The bytes that the table itself takes for an entry: a node, and one in a hash table, each of which has some
    /// room for more.
    public static var overhead: Int { MemoryLayout<Node>.stride * 3 / 2 + (MemoryLayout<Key>.stride + 4) * 2 }

    /// The number of entries.
    @inlinable public var count: Int { numbers.count }

    /// The entry that leaves next.
    public var oldest: (key: Key, value: Value)? { last < 0 ? nil : nodes[Int(last)].entry }

    /// The value of a key. Not counted as a use.
    /// - Complexity: O(1).
    @inlinable public subscript(key: Key) -> Value? { numbers[key].flatMap { nodes[Int($0)].entry?.value } }

    /// The value of a key, which now leaves after all others.
    /// - Complexity: O(1).
    public mutating func use(_ key: Key) -> Value? {
        guard let number = numbers[key] else { return nil }
        unlink(number)
        link(number)
        return nodes[Int(number)].entry?.value
    }

    /// Keeps a value in place of an earlier one. It leaves after all others.
    ///
    /// - Parameters:
    ///   - value: What a look-up finds.
    ///   - key: What it is found under.
    ///   - heapByteCount: What key and value keep on the heap, in bytes.
    /// - Returns: `false` when the entry alone is larger than the limit. Then nothing is kept for the key.
    /// - Complexity: O(1) amortised over the entries that make room.
    @discardableResult
    public mutating func store(_ value: Value, for key: Key, heapByteCount: Int) -> Bool {
        let cost = Self.overhead + max(0, heapByteCount)
        guard cost <= byteLimit, countLimit > 0 else {
            remove(key)
            return false
        }
        var number = numbers[key] ?? -1
        if number >= 0 {
            unlink(number)
            byteCount -= nodes[Int(number)].byteCount
        } else {
            if count == countLimit { removeOldest() }
            number = takeNode()
            numbers[key] = number
        }
        nodes[Int(number)].entry = (key, value)
        nodes[Int(number)].byteCount = cost
        byteCount += cost
        link(number)
        while byteCount > byteLimit { removeOldest() }
        return true
    }

    /// Removes a key and returns its value.
    /// - Complexity: O(1).
    @discardableResult
    public mutating func remove(_ key: Key) -> Value? {
        guard let number = numbers.removeValue(forKey: key) else { return nil }
        unlink(number)
        byteCount -= nodes[Int(number)].byteCount
        let value = nodes[Int(number)].entry?.value
        nodes[Int(number)] = Node()
        nodes[Int(number)].older = unused
        unused = number
        if numbers.isEmpty { removeAll() }
        return value
    }

    /// Removes the entry that was stored or used longest ago.
    /// - Complexity: O(1).
    package mutating func removeOldest() { if let oldest { remove(oldest.key) } }

    /// Removes the oldest entries until at most some bytes are kept.
    /// - Complexity: O(number of entries removed); O(number of nodes) when few of many are left.
    public mutating func trim(to byteCount: Int) {
        while self.byteCount > max(0, byteCount) { removeOldest() }
        guard nodes.count > 64, count < nodes.count / 4 else { return }
        // The nodes of what has gone are given back, too.
        var smaller = BoundedTable(byteLimit: byteLimit, countLimit: countLimit)
        while let oldest, let number = numbers[oldest.key] {
            smaller.store(
                oldest.value, for: oldest.key, heapByteCount: nodes[Int(number)].byteCount - Self.overhead)
            remove(oldest.key)
        }
        self = smaller
    }

    /// Removes every entry.
    public mutating func removeAll() {
        (numbers, nodes) = ([:], [])
        (newest, last, unused, byteCount) = (-1, -1, -1, 0)
    }
}

// MARK: - The chain of nodes

extension BoundedTable {
    private mutating func takeNode() -> Int32 {
        guard unused >= 0 else {
            nodes.append(Node())
            return Int32(nodes.count - 1)
        }
        defer { unused = nodes[Int(unused)].older }
        return unused
    }

    private mutating func link(_ number: Int32) {
        nodes[Int(number)].newer = -1
        nodes[Int(number)].older = newest
        if newest >= 0 { nodes[Int(newest)].newer = number } else { last = number }
        newest = number
    }

    private mutating func unlink(_ number: Int32) {
        let (newer, older) = (nodes[Int(number)].newer, nodes[Int(number)].older)
        if newer >= 0 { nodes[Int(newer)].older = older } else { newest = older }
        if older >= 0 { nodes[Int(older)].newer = newer } else { last = newer }
    }
}

extension BoundedTable.Node: Sendable where Key: Sendable, Value: Sendable {}
extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}
