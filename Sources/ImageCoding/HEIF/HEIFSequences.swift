// SPDX-License-Identifier: MIT
#if HEIF
/// The sequence headers of HEVC.
///
/// - Source: ITU-T H.265, sections 7.3.1.1, 7.3.2.2 and 7.3.3; ISO/IEC 14496-15, section 8.3.3.
enum HEVCSequence {
    private static let parameterSet: UInt8 = 33

    /// The sizes in a coded picture: units with four bytes of length before them.
    static func sizes(in data: [UInt8]) -> [PixelSize] {
        var (sizes, at) = ([PixelSize](), 0)
        while at <= data.count - 6 {
            let length = data[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
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
            let (type, count) = (data[at] & 63, Int(data[at + 1]) << 8 | Int(data[at + 2]))
            at += 3
            for _ in 0..<count {
                guard at + 2 <= data.count else { break }
                let length = Int(data[at]) << 8 | Int(data[at + 1])
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
