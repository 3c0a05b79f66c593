// SPDX-License-Identifier: MIT
/// What values keep on the heap, in bytes: the costs of the entries of a ``BoundedTable``.
///
/// Computed from counts, without a look at the memory, by the rules of glibc's allocator: a multiple of 16, of which
/// eight are its own, and at least 32. Memory that values share counts for each of them.
public enum HeapSize {
    /// What is taken for so many bytes.
    @inlinable public static func allocation(_ byteCount: Int) -> Int { max(32, (byteCount + 23) & ~15) }

    /// What a text keeps: nothing up to 15 bytes, which are in the value itself.
    /// - Complexity: O(1).
    @inlinable public static func of(_ text: String) -> Int {
        let count = text.utf8.count
        return count <= 15 ? 0 : allocation(33 + count)
    }

    /// What an array keeps, without what its elements refer to.
    /// - Complexity: O(1).
    @inlinable public static func of<Element>(_ elements: [Element]) -> Int {
        elements.isEmpty ? 0 : allocation(32 + elements.count * MemoryLayout<Element>.stride)
    }

    /// What a value takes as the only property of an object.
    @inlinable package static func ofObject<Value>(_ type: Value.Type) -> Int {
        allocation(16 + MemoryLayout<Value>.size)
    }
}
