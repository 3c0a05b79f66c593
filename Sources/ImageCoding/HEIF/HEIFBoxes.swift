// SPDX-License-Identifier: MIT
#if HEIF
/// The items of a HEIF file, and the configurations of its decoders.
///
/// - Source: ISO/IEC 14496-12, sections 4.2 and 8.11; ISO/IEC 23008-12.
struct HEIFBoxes {
    /// A coded picture, or how pictures are put together.
    struct Item {
        /// Four letters, such as `hvc1`.
        let type: String
        let data: [UInt8]
    }

    private(set) var items: [Item] = []
    /// The contents of the properties `hvcC` and `av1C`.
    private(set) var configurations: [Item] = []
    /// The number of pictures in the longest track of pictures; 1 without one.
    private(set) var frameCount = 1
    private var types: [Int: String] = [:]
    /// The extents of items by their number; those of a construction other than 0 count from the item data box.
    private var extents: [Int: [(isInData: Bool, range: Range<Int>)]] = [:]
    private var itemData = 0..<0
    private let bytes: [UInt8]

    /// Reads the boxes of a file, as far as they are whole.
    ///
    /// - Throws: ``ImageError`` with `.malformed` when items share so many bytes that they are a bomb.
    init(_ bytes: [UInt8]) throws(ImageError) {
        self.bytes = bytes
        for box in boxes(in: 0..<bytes.count) {
            switch box.type {
            case "meta": for inner in boxes(in: box.content.dropFirst(4)) { read(inner) }
            case "moov": for track in boxes("trak", in: [box.content]) { countFrames(of: track) }
            default: break
            }
        }
        var gathered = 0
        for (number, type) in types.sorted(by: { $0.key < $1.key }) {
            var data: [UInt8] = []
            for extent in extents[number] ?? [] {
                let base = extent.isInData ? itemData.lowerBound : 0
                let shifted = extent.range.lowerBound + base..<extent.range.upperBound + base
                let range = shifted.clamped(to: 0..<bytes.count)
                gathered += range.count
                guard gathered <= bytes.count * 4 else {
                    throw ImageError(code: .malformed, message: "The items of the file share their bytes.")
                }
                data += bytes[range]
            }
            items.append(Item(type: type, data: data))
        }
    }

    private typealias Box = (type: String, content: Range<Int>)

    private func number(_ at: Int, _ count: Int) -> Int {
        guard at >= 0, count <= 8, at <= bytes.count - count else { return 0 }
        // Numbers of eight bytes are places in a file: what does not fit is beyond its end.
        return bytes[at..<at + count].reduce(0) { $0 > Int.max >> 9 ? Int.max >> 1 : $0 << 8 | Int($1) }
    }

    private func boxes(in range: Range<Int>) -> [Box] {
        var (found, at) = ([Box](), range.lowerBound)
        while at <= range.upperBound - 8 {
            var (length, header) = (number(at, 4), 8)
            if length == 1 { (length, header) = (number(at + 8, 8), 16) }
            if length == 0 { length = range.upperBound - at }
            guard length >= header, header <= range.upperBound - at else { break }
            let end = length > range.upperBound - at ? range.upperBound : at + length
            found.append((String(decoding: bytes[at + 4..<at + 8], as: UTF8.self), at + header..<end))
            at = end
        }
        return found
    }

    private func boxes(_ type: String, in ranges: [Range<Int>]) -> [Range<Int>] {
        ranges.flatMap { boxes(in: $0).filter { $0.type == type }.map(\.content) }
    }

    /// Counts the pictures of a track, unless it is one of a film or of alpha.
    private mutating func countFrames(of track: Range<Int>) {
        let media = boxes("mdia", in: [track])
        let isOfPictures = boxes("hdlr", in: media).contains { handler in
            let type = handler.lowerBound + 8
            return handler.count >= 12 && bytes[type..<type + 4].elementsEqual("pict".utf8)
        }
        guard isOfPictures else { return }
        let tables = boxes("stbl", in: boxes("minf", in: media))
        for sizes in boxes("stsz", in: tables) + boxes("stz2", in: tables) where sizes.count >= 12 {
            frameCount = max(frameCount, number(sizes.lowerBound + 8, 4))
        }
    }

    private mutating func read(_ box: Box) {
        let start = box.content.lowerBound
        switch box.type {
        case "idat": itemData = box.content
        case "iloc": readPlaces(box.content)
        case "iinf":
            let entries = start + (number(start, 1) == 0 ? 6 : 8)
            for entry in boxes(in: min(entries, box.content.upperBound)..<box.content.upperBound) {
                let at = entry.content.lowerBound
                let wide = number(at, 1) >= 3 ? 2 : 0
                guard entry.content.count >= 12 + wide else { continue }
                types[number(at + 4, 2 + wide)] = String(decoding: bytes[at + 8 + wide..<at + 12 + wide], as: UTF8.self)
            }
        case "iprp":
            for container in boxes(in: box.content) where container.type == "ipco" {
                for property in boxes(in: container.content) where ["hvcC", "av1C"].contains(property.type) {
                    configurations.append(Item(type: property.type, data: Array(bytes[property.content])))
                }
            }
        default: break
        }
    }

    private mutating func readPlaces(_ content: Range<Int>) {
        let (version, sizes) = (number(content.lowerBound, 1), number(content.lowerBound + 4, 2))
        let (offset, length, base) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        let (index, wide) = (version > 0 ? sizes & 15 : 0, version < 2 ? 2 : 4)
        var at = content.lowerBound + 6
        func take(_ count: Int) -> Int {
            defer { at += count }
            return at + count <= content.upperBound ? number(at, count) : 0
        }
        // libheif refuses more than 32 extents of an item, and more than 20,000 items.
        for _ in 0..<min(take(wide), 20_000) {
            guard at < content.upperBound else { return }
            let item = take(wide)
            let isInData = version > 0 && take(2) & 15 != 0
            _ = take(2)
            let start = take(base)
            for _ in 0..<min(take(2), 32) {
                _ = take(index)
                let first = min(start, bytes.count) + min(take(offset), bytes.count)
                let count = take(length)
                let range = first..<first + (count == 0 ? bytes.count : min(count, bytes.count))
                extents[item, default: []].append((isInData, range))
            }
        }
    }
}

extension Range<Int> {
    /// The range without its first values; empty if there are not as many.
    fileprivate func dropFirst(_ count: Int) -> Range<Int> { Swift.min(lowerBound + count, upperBound)..<upperBound }
}
#endif
