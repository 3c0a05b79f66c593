/// Puts the chunks of a body together, in memory that follows the bytes that came and not those that were announced.
///
/// Large chunks are kept as they are, small ones are gathered in blocks, and all are joined once, at the end. The blocks
/// are never more than 64 KB larger than the bytes in them, so with the joined result the memory is at most twice the
/// length plus 64 KB. A chunk that stays alone is the result without a copy.
package struct BodyCollector: Sendable {
    /// The capacity of a gathering block, and with it the most that an announcement can make this collector allocate.
    private static let blockSize = 32 << 10
    /// A chunk of this many bytes is worth a block of its own.
    private static let largeCount = 16 << 10
    /// Most unused bytes in all closed blocks.
    private static let wasteLimit = 16 << 10
    /// Most unused bytes in a chunk that is alone.
    private static let aloneWasteLimit = 28 << 10
    /// Most bytes of ``beginning``.
    private static let beginningCount = 1 << 10

    private let expected: Int?
    /// Blocks that take no more bytes.
    private var closed: [[UInt8]] = []
    /// The block that takes the next small chunk. Made here, so that no other owner makes an append copy it.
    private var open: [UInt8] = []
    /// Unused bytes in the closed blocks.
    private var waste = 0
    /// The bytes so far.
    package private(set) var count = 0

    /// Makes an empty collector.
    /// - Parameter expected: How many bytes are announced, if known. It only makes the block of a small body smaller; a
    ///   number that proves wrong does no harm.
    package init(expecting expected: Int? = nil) {
        self.expected = expected
    }

    /// The first bytes, to tell what they are: all that came, at most 1 KiB.
    package var beginning: [UInt8] { Array((closed.first ?? open).prefix(Self.beginningCount)) }

    /// The bytes of memory that the blocks take.
    package var capacity: Int { closed.reduce(open.capacity) { $0 + $1.capacity } }

    /// Adds a chunk behind the others.
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

    /// Hands out the bytes and forgets them.
    /// - Complexity: O(`count`), or O(1) when the bytes are in one block.
    package mutating func finish() -> [UInt8] {
        defer { self = BodyCollector(expecting: expected) }
        if closed.isEmpty { return open }
        if closed.count == 1, open.isEmpty { return closed[0] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for block in closed { bytes.append(contentsOf: block) }
        bytes.append(contentsOf: open)
        return bytes
    }

    /// A small first chunk is alone no more: what follows goes behind it, so that ``beginning`` is in one block.
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

    /// How many bytes may still come; as good as no end for an announcement that is none, or that has proved wrong.
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
    /// The bytes that fit in without another allocation.
    fileprivate var spare: Int { capacity - count }
}
