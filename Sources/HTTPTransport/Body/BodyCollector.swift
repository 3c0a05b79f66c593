// SPDX-License-Identifier: MIT
/// Joins the chunks of a body, in memory proportional to the received bytes and not to the announced ones.
///
/// Large chunks are kept unchanged, small ones are gathered in blocks, and all are joined once, at the end. The blocks
/// are at most 64 KB larger than the bytes in them. So with the joined result the memory is at most twice the length
/// plus 64 KB. A single chunk is returned without a copy.
package struct BodyCollector: Sendable {
    /// The capacity of a gathering block. An announcement alone never allocates more.
    private static let blockSize = 32 << 10
    /// A chunk of at least this many bytes has a block of its own.
    private static let largeCount = 16 << 10
    /// The largest number of unused bytes in all closed blocks.
    private static let wasteLimit = 16 << 10
    /// The largest number of unused bytes in a single chunk.
    private static let aloneWasteLimit = 28 << 10
    /// The largest number of bytes in ``beginning``.
    private static let beginningCount = 1 << 10

    private let expected: Int?
    /// Blocks that take no more bytes.
    private var closed: [[UInt8]] = []
    /// The block that takes the next small chunk. The collector makes it itself, so that an append never copies it.
    private var open: [UInt8] = []
    /// Unused bytes in the closed blocks.
    private var waste = 0
    /// The number of bytes so far.
    package private(set) var count = 0

    /// Creates an empty collector.
    /// - Parameter expected: The announced number of bytes, if known. It only makes the block of a small body smaller;
    ///   a wrong number does no harm.
    package init(expecting expected: Int? = nil) {
        self.expected = expected
    }

    /// The first bytes, for format detection: all bytes received, at most 1 KiB.
    package var beginning: [UInt8] { Array((closed.first ?? open).prefix(Self.beginningCount)) }

    /// The bytes so far, in blocks that later chunks do not change.
    /// - Complexity: O(number of blocks). The next chunk copies the open block, at most 32 KB, if the result still
    ///   exists.
    package var blocks: [[UInt8]] { open.isEmpty ? closed : closed + [open] }

    /// The bytes of memory that the blocks take.
    package var capacity: Int { closed.reduce(open.capacity) { $0 + $1.capacity } }

    /// Appends a chunk.
    /// - Complexity: O(1) for most large chunks, O(*n*) in its length for a small one.
    package mutating func append(_ chunk: [UInt8]) {
        guard !chunk.isEmpty else { return }
        if count == 0, chunk.spare <= Self.aloneWasteLimit {
            close(chunk)
        } else {
            reopenSmallBeginning()
            let isKept =
                chunk.count >= Self.largeCount && (open.isEmpty || open.count >= Self.largeCount)
                && waste + open.spare + chunk.spare <= Self.wasteLimit
            if isKept { keep(chunk) } else { gather(chunk) }
        }
        count += chunk.count
    }

    /// Returns the bytes, which are then in one block.
    /// - Complexity: O(`count`), or O(1) when they are in one block already.
    package mutating func finish() -> [UInt8] {
        if closed.isEmpty { return open }
        if closed.count == 1, open.isEmpty { return closed[0] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for block in closed { bytes.append(contentsOf: block) }
        bytes.append(contentsOf: open)
        (closed, open) = ([bytes], [])
        return bytes
    }

    /// Reopens a small first chunk: the next bytes are appended to it, so that ``beginning`` is in one block.
    private mutating func reopenSmallBeginning() {
        guard closed.count == 1, open.isEmpty, closed[0].count < Self.largeCount else { return }
        let first = closed[0]
        closed = []
        waste = 0
        openBlock(for: first[...])
    }

    private mutating func keep(_ chunk: [UInt8]) {
        closeOpenBlock()
        close(chunk)
    }

    private mutating func gather(_ chunk: [UInt8]) {
        let fitting = min(open.spare, chunk.count)
        open.append(contentsOf: chunk[..<fitting])
        guard fitting < chunk.count else { return }
        closeOpenBlock()
        openBlock(for: chunk[fitting...])
    }

    private mutating func openBlock(for bytes: ArraySlice<UInt8>) {
        open.reserveCapacity(max(bytes.count, min(expectedRest, Self.blockSize)))
        open.append(contentsOf: bytes)
    }

    /// The number of bytes still expected; the largest number without an announcement, or after a wrong one.
    private var expectedRest: Int {
        guard let expected, expected > count else { return .max }
        return expected - count
    }

    private mutating func closeOpenBlock() {
        guard !open.isEmpty else { return }
        close(open)
        open = []
    }

    private mutating func close(_ block: [UInt8]) {
        waste += block.spare
        closed.append(block)
    }
}

extension [UInt8] {
    /// The number of bytes that fit without another allocation.
    fileprivate var spare: Int { capacity - count }
}
