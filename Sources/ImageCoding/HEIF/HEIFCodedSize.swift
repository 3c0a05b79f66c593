// SPDX-License-Identifier: MIT
#if HEIF
/// The size that the decoders of a HEIF file will allocate.
///
/// A file announces its size in a property that the coded picture need not agree with: decoders believe the coded
/// picture.
struct HEIFCodedSize {
    /// The longest sides of all coded pictures, grids and overlays.
    private(set) var size = PixelSize(width: 0, height: 0)

    /// Reads the sequence headers of all items, whether the primary picture uses them or not.
    ///
    /// - Throws: ``ImageError`` with `.malformed` for a file that is a bomb.
    init(_ bytes: [UInt8]) throws(ImageError) {
        let boxes = try HEIFBoxes(bytes)
        for configuration in boxes.configurations {
            if configuration.type == "av1C" {
                note(AV1Sequence.sizes(in: configuration.data.dropFirst(4)))
            } else {
                note(HEVCSequence.sizes(inConfiguration: configuration.data))
            }
        }
        for item in boxes.items {
            switch item.type {
            case "hvc1", "hev1": note(HEVCSequence.sizes(in: item.data))
            case "av01": note(AV1Sequence.sizes(in: item.data[...]))
            case "grid": note([HEIFCodedSize.size(item.data, at: 4)])
            case "iovl": note([HEIFCodedSize.size(item.data, at: 10)])
            default: break
            }
        }
    }

    private mutating func note(_ sizes: [PixelSize]) {
        for found in sizes {
            size = PixelSize(width: max(size.width, found.width), height: max(size.height, found.height))
        }
    }

    /// Two numbers of two bytes each or, by the lowest flag, four.
    private static func size(_ data: [UInt8], at start: Int) -> PixelSize {
        let count = data.count > 1 && data[1] & 1 == 1 ? 4 : 2
        guard data.count >= start + count * 2 else { return PixelSize(width: 0, height: 0) }
        let sides = [start, start + count].map { at in data[at..<at + count].reduce(0) { $0 << 8 | Int($1) } }
        return PixelSize(width: sides[0], height: sides[1])
    }
}

/// Bits of a header, the highest of a byte first; zeros after the end.
struct HeaderBits {
    private let bytes: ArraySlice<UInt8>
    private var at = 0

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    /// Whether more was read than is there.
    var isPastEnd: Bool { at > bytes.count * 8 }

    /// Reads up to 32 bits.
    mutating func take(_ count: Int) -> Int {
        var value = 0
        for _ in 0..<count {
            let byte = at / 8 < bytes.count ? bytes[bytes.startIndex + at / 8] : 0
            value = value << 1 | Int(byte >> UInt8(7 - at % 8) & 1)
            at += 1
        }
        return value
    }

    mutating func skip(_ count: Int) { at += count }

    /// Reads a number of as many bits as there are zeros before it, as HEVC and AV1 write them.
    mutating func takeUnary() -> Int {
        var zeros = 0
        while zeros < 32, !isPastEnd, take(1) == 0 { zeros += 1 }
        return (1 << zeros) - 1 + take(min(zeros, 32))
    }
}
#endif
