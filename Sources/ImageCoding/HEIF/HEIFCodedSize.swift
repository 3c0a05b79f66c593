// SPDX-License-Identifier: MIT
#if HEIF
/// The size that the decoders of a HEIF file will allocate.
///
/// A file announces its size in a property that the coded picture need not agree with: decoders believe the coded
/// picture.
struct HEIFCodedSize {
    /// The longest sides of all coded pictures, grids and overlays.
    private(set) var size = PixelSize(width: 0, height: 0)
    /// The number of pictures of an animation; 1 in a file without one.
    let frameCount: Int

    /// Reads the sequence headers of all items, whether the primary picture uses them or not.
    ///
    /// - Throws: ``ImageError`` with `.malformed` for a file that is a bomb.
    init(_ bytes: [UInt8]) throws(ImageError) {
        let boxes = try HEIFBoxes(bytes)
        frameCount = boxes.frameCount
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
        return PixelSize(width: data.bigEndian(count, at: start), height: data.bigEndian(count, at: start + count))
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

/// The sequence headers of HEVC.
///
/// - Source: ITU-T H.265, sections 7.3.1.1, 7.3.2.2 and 7.3.3; ISO/IEC 14496-15, section 8.3.3.
enum HEVCSequence {
    private static let parameterSet: UInt8 = 33

    /// The sizes in a coded picture: units with four bytes of length before them.
    static func sizes(in data: [UInt8]) -> [PixelSize] {
        var (sizes, at) = ([PixelSize](), 0)
        while at <= data.count - 6 {
            let length = data.bigEndian(at: at)
            let unit = data[(at + 4)...].prefix(length)
            if unit.count >= 2, unit[at + 4] >> 1 & 63 == parameterSet { sizes.append(size(of: unit)) }
            at += 4 + length
        }
        return sizes
    }

    /// The sizes in a configuration: arrays of units with two bytes of length before them.
    static func sizes(inConfiguration data: [UInt8]) -> [PixelSize] {
        var (sizes, at) = ([PixelSize](), 23)
        guard data.count > at else { return [] }
        for _ in 0..<data[22] {
            guard at + 3 <= data.count else { break }
            let (type, count) = (data[at] & 63, data.bigEndian(2, at: at + 1))
            at += 3
            for _ in 0..<count {
                guard at + 2 <= data.count else { break }
                let length = data.bigEndian(2, at: at)
                if type == parameterSet { sizes.append(size(of: data[(at + 2)...].prefix(length))) }
                at += 2 + length
            }
        }
        return sizes
    }

    private static func size(of unit: ArraySlice<UInt8>) -> PixelSize {
        // Longer than the part with the size can be, without the bytes that keep start codes away.
        var (plain, zeros) = ([UInt8](), 0)
        for byte in unit.dropFirst(2).prefix(512) {
            let isStuffed = zeros >= 2 && byte == 3
            zeros = byte == 0 ? zeros + 1 : 0
            if !isStuffed { plain.append(byte) }
        }
        var bits = HeaderBits(plain[...])
        bits.skip(4)
        let layers = bits.take(3)
        bits.skip(1 + 96)
        let present = (0..<layers).map { _ in (profile: bits.take(1), level: bits.take(1)) }
        if layers > 0 { bits.skip((8 - layers) * 2) }
        for layer in present { bits.skip(layer.profile * 88 + layer.level * 8) }
        _ = bits.takeUnary()
        if bits.takeUnary() == 3 { bits.skip(1) }
        let size = PixelSize(width: bits.takeUnary(), height: bits.takeUnary())
        return bits.isPastEnd ? PixelSize(width: 0, height: 0) : size
    }
}

/// The sequence headers of AV1.
///
/// - Source: AV1 Bitstream & Decoding Process Specification, sections 5.3 and 5.5.
enum AV1Sequence {
    /// The sizes in a coded picture.
    static func sizes(in data: ArraySlice<UInt8>) -> [PixelSize] {
        var (sizes, rest) = ([PixelSize](), data)
        while let header = rest.popFirst() {
            if header & 4 != 0 { rest = rest.dropFirst() }
            var length = rest.count
            if header & 2 != 0 {
                length = 0
                for shift in stride(from: 0, to: 56, by: 7) {
                    guard let byte = rest.popFirst() else { return sizes }
                    length |= Int(byte & 127) << shift
                    if byte & 128 == 0 { break }
                }
            }
            if header >> 3 & 15 == 1 { sizes.append(size(of: rest.prefix(length))) }
            rest = rest.dropFirst(length)
        }
        return sizes
    }

    private static func size(of unit: ArraySlice<UInt8>) -> PixelSize {
        var bits = HeaderBits(unit)
        bits.skip(4)
        let isReduced = bits.take(1) == 1
        if isReduced { bits.skip(5) } else { skipTiming(&bits) }
        let (across, down) = (bits.take(4) + 1, bits.take(4) + 1)
        let size = PixelSize(width: bits.take(across) + 1, height: bits.take(down) + 1)
        return bits.isPastEnd ? PixelSize(width: 0, height: 0) : size
    }

    private static func skipTiming(_ bits: inout HeaderBits) {
        var delay: Int?
        if bits.take(1) == 1 {
            bits.skip(64)
            if bits.take(1) == 1 { _ = bits.takeUnary() }
            if bits.take(1) == 1 {
                delay = bits.take(5) + 1
                bits.skip(42)
            }
        }
        let hasDisplayDelay = bits.take(1) == 1
        for _ in 0...bits.take(5) {
            bits.skip(12)
            if bits.take(5) > 7 { bits.skip(1) }
            if let delay, bits.take(1) == 1 { bits.skip(delay * 2 + 1) }
            if hasDisplayDelay, bits.take(1) == 1 { bits.skip(4) }
        }
    }
}
#endif
