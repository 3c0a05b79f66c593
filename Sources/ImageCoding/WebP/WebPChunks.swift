// SPDX-License-Identifier: MIT
/// The chunks of a WebP, or those of one frame of an animation, in order.
///
/// - Source: RFC 9649, section 2.3.
struct WebPChunks {
    /// One chunk, complete or truncated by the end of the bytes.
    struct Chunk {
        /// Four characters, the first in the highest byte.
        let type: UInt32
        /// Where the header of eight bytes begins.
        let start: Int
        /// The existing bytes after the header.
        let payload: Range<Int>
        /// Whether the payload is complete.
        let isWhole: Bool
    }

    static let animation = WebPChunks.code("ANIM")
    static let frame = WebPChunks.code("ANMF")
    static let exif = WebPChunks.code("EXIF")
    static let xmp = WebPChunks.code("XMP ")
    static let alpha = WebPChunks.code("ALPH")
    static let lossy = WebPChunks.code("VP8 ")
    static let lossless = WebPChunks.code("VP8L")

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
            type: UInt32(bytes.bigEndian(at: start)), start: start,
            payload: payload..<(isWhole ? payload + length : end), isWhole: isWhole)
    }

    private static func code(_ name: StaticString) -> UInt32 {
        name.description.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
