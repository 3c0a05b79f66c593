// SPDX-License-Identifier: MIT
/// The chunks of a WebP, or those of one frame of an animation, in order.
///
/// - Source: RFC 9649, section 2.3.
struct WebPChunks {
    /// One chunk, complete or truncated by the end of the bytes.
    struct Chunk {
        /// Four characters.
        let type: String
        /// Where the header of eight bytes begins.
        let start: Int
        /// The existing bytes after the header.
        let payload: Range<Int>
        /// Whether the payload is complete.
        let isWhole: Bool
    }

    private let bytes: [UInt8]
    private let end: Int
    private var offset: Int
    private var walk: DecodingWork.Walk

    /// Creates an iterator over a part of a file.
    init(_ bytes: [UInt8], in range: Range<Int>, work: DecodingWork) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
        walk = work.walk()
    }

    /// The next chunk, `nil` at the end.
    ///
    /// - Throws: The errors of the work.
    mutating func next() throws -> Chunk? {
        guard offset + 8 <= end else { return nil }
        try walk.reach(offset)
        let start = offset
        let payload = start + 8
        let length = bytes.littleEndian(at: start + 4)
        let isWhole = length <= end - payload
        // Chunks begin at even offsets.
        offset = isWhole ? payload + length + length % 2 : end
        return Chunk(
            type: String(decoding: bytes[start..<start + 4], as: UTF8.self), start: start,
            payload: payload..<(isWhole ? payload + length : end), isWhole: isWhole)
    }
}
