// SPDX-License-Identifier: MIT
import Testing

@testable import ImageCoding

/// What most headers say.
private let large = PixelSize(width: 1_000, height: 600)

private func digits(_ value: Int, _ count: Int) -> String {
    let digits = String(value, radix: 2)
    return String(repeating: "0", count: max(count - digits.count, 0)) + digits.suffix(count)
}

/// A number behind as many zeros as it has digits after the first.
private func unary(_ value: Int) -> String {
    let digits = String(value + 1, radix: 2)
    return String(repeating: "0", count: digits.count - 1) + digits
}

private func bytes(_ digits: String) -> [UInt8] {
    var (bytes, rest) = ([UInt8](), digits[...])
    while !rest.isEmpty {
        bytes.append(UInt8((rest + "0000000").prefix(8), radix: 2) ?? 0)
        rest = rest.dropFirst(8)
    }
    return bytes
}

private func number(_ value: Int, _ count: Int) -> [UInt8] { bytes(digits(value, count * 8)) }

private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    number(content.count + 8, 4) + Array(type.utf8) + content
}

/// A parameter set of HEVC, with layers of which each has the bits of a profile, of a level, of both or of none.
private func parameterSet(layers: [(profile: Int, level: Int)] = [], chroma: Int = 1) -> [UInt8] {
    var plain = digits(0, 4) + digits(layers.count, 3) + "1" + digits(0, 96)
    for layer in layers { plain += "\(layer.profile)\(layer.level)" }
    if !layers.isEmpty { plain += digits(0, 2 * (8 - layers.count)) }
    for layer in layers { plain += digits(0, layer.profile * 88) + digits(0, layer.level * 8) }
    plain += unary(0) + unary(chroma) + (chroma == 3 ? "0" : "") + unary(large.width) + unary(large.height) + "1"
    // A 3 keeps two zeros away from what would look like a start code.
    var (unit, zeros) = ([33 << 1, 1] as [UInt8], 0)
    for byte in bytes(plain) {
        if zeros == 2, byte <= 3 { (unit, zeros) = (unit + [3], 0) }
        unit.append(byte)
        zeros = byte == 0 ? zeros + 1 : 0
    }
    return unit
}

/// A sequence header of AV1 in a unit of its own, with room behind it.
private func sequence(
    _ beginning: String, hasExtension: Bool = false, hasLength: Bool = true, room: Int = 0
) -> [UInt8] {
    let sides = digits(9, 4) + digits(9, 4) + digits(large.width - 1, 10) + digits(large.height - 1, 10)
    let payload = bytes(beginning + sides) + [UInt8](repeating: 0, count: room)
    var unit: [UInt8] = hasExtension ? [1 << 3 | 4, 0] : [1 << 3]
    if hasLength {
        unit[0] |= 2
        unit += payload.count < 128 ? [] : [UInt8(payload.count & 127 | 128)]
        unit.append(UInt8(payload.count < 128 ? payload.count : payload.count >> 7))
    }
    return unit + payload
}

/// The beginning of a sequence header with two operating points.
private func beginning(
    level: Int, hasTiming: Bool = false, hasModel: Bool = false, hasDelay: Bool = false
) -> String {
    var header = "00000" + (hasTiming ? "1" + digits(0, 64) + "1" + unary(3) : "0")
    if hasTiming { header += hasModel ? "1" + digits(9, 5) + digits(0, 42) : "0" }
    header += (hasDelay ? "1" : "0") + digits(1, 5)
    for _ in 0..<2 {
        header += digits(0, 12) + digits(level, 5) + (level > 7 ? "0" : "")
        header += (hasModel ? "1" + digits(0, 21) : "") + (hasDelay ? "1" + digits(5, 4) : "")
    }
    return header
}

/// A file with items, of which the bytes are in the box for such, or else in the file.
private func file(
    _ items: [(type: String, data: [UInt8])], _ properties: [UInt8] = [], isInData: Bool = false, extents: Int = 1
) -> [UInt8] {
    let data = items.flatMap { $0.data }
    var (entries, places, start) = ([UInt8](), [UInt8](), isInData ? 0 : 8)
    for (index, item) in items.enumerated() {
        entries += box("infe", [2, 0, 0, 0] + number(index + 1, 2) + [0, 0] + Array(item.type.utf8) + [0])
        places += number(index + 1, 2) + [0, isInData ? 1 : 0, 0, 0] + number(extents, 2)
        for _ in 0..<extents { places += number(start, 4) + number(item.data.count, 4) }
        start += item.data.count
    }
    let meta =
        box("iinf", [0, 0, 0, 0] + number(items.count, 2) + entries)
        + box("iloc", [1, 0, 0, 0, 0x44, 0] + number(items.count, 2) + places) + box("idat", isInData ? data : [])
        + box("iprp", box("ipco", properties))
    return box("mdat", isInData ? [] : data) + box("meta", [0, 0, 0, 0] + meta)
}

private func codedSize(of file: [UInt8]) throws -> PixelSize { try HEIFCodedSize(file).size }

/// The size that decoders of HEIF will allocate, read from headers that are made by hand.
@Suite
struct HEIFCodedSizeTests {
    @Test(arguments: [[], [(1, 1)], [(0, 1), (1, 0)], [(0, 0), (1, 1), (0, 1)]] as [[(profile: Int, level: Int)]])
    func `a parameter set of HEVC has its size behind layers and stuffed bytes`(
        layers: [(profile: Int, level: Int)]
    ) throws {
        for chroma in [1, 3] {
            let set = parameterSet(layers: layers, chroma: chroma)
            // Behind a unit of another kind.
            let picture: [UInt8] = [0, 0, 0, 2, 1 << 1, 1] + number(set.count, 4) + set
            for type in ["hvc1", "hev1"] { #expect(try codedSize(of: file([(type, picture)])) == large) }
            let arrays: [UInt8] = [2, 32, 0, 1, 0, 2, 32 << 1, 1, 33, 0, 1] + number(set.count, 2) + set
            let properties = box("hvcC", [UInt8](repeating: 0, count: 22) + arrays)
            #expect(try codedSize(of: file([], properties)) == large)
        }
    }

    @Test(arguments: [
        // A still picture has a short header.
        "0001101000", beginning(level: 7), beginning(level: 8), beginning(level: 31, hasDelay: true),
        beginning(level: 4, hasTiming: true), beginning(level: 9, hasTiming: true, hasModel: true),
        beginning(level: 5, hasTiming: true, hasModel: true, hasDelay: true),
    ])
    func `a sequence header of AV1 has its size behind all that may come before it`(beginning: String) throws {
        let delimiter: [UInt8] = [2 << 3 | 2, 0]
        for hasExtension in [false, true] {
            for room in [0, 300] {
                let unit = delimiter + sequence(beginning, hasExtension: hasExtension, room: room)
                #expect(AV1Sequence.sizes(in: (unit + unit)[...]) == [large, large])
            }
            let last = sequence(beginning, hasExtension: hasExtension, hasLength: false)
            #expect(try codedSize(of: file([("av01", delimiter + last)])) == large)
            #expect(try codedSize(of: file([], box("av1C", [0x81, 0, 0, 0] + last))) == large)
        }
    }

    @Test(arguments: [2, 4], [false, true])
    func `grids and overlays count, by their longest sides`(count: Int, isInData: Bool) throws {
        let flags: [UInt8] = [0, count == 4 ? 1 : 0]
        func sides(_ width: Int, _ height: Int) -> [UInt8] {
            number(width, count) + number(height, count)
        }
        let grid = flags + [1, 1] + sides(1_000, 30)
        let overlay = flags + [0, 0, 0, 0, 0, 0, 0, 0] + sides(40, 600)
        func size(_ items: [(type: String, data: [UInt8])]) throws -> PixelSize {
            try codedSize(of: file(items, isInData: isInData))
        }
        #expect(try size([("grid", grid)]) == PixelSize(width: 1_000, height: 30))
        #expect(try size([("iovl", overlay)]) == PixelSize(width: 40, height: 600))
        #expect(try size([("grid", grid), ("iovl", overlay)]) == large)
        #expect(try size([("Exif", grid)]) == PixelSize(width: 0, height: 0))
    }

    @Test
    func `items that share their bytes are a bomb`() throws {
        let item = ("grid", [UInt8](repeating: 0, count: 2_000))
        #expect(throws: Never.self) { try HEIFCodedSize(file([item], extents: 4)) }
        let error = #expect(throws: ImageError.self) {
            try HEIFCodedSize(file([item, item], extents: 32))
        }
        #expect(error?.code == .malformed)
    }
}
