// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("Orientation")
struct OrientationTests {
    /// A JPEG whose only metadata is one APP1 block with the given TIFF structure.
    private func jpeg(_ tiff: [UInt8]) throws -> [UInt8] {
        let bytes = try Fixture.named("baseline-444.jpg").bytes
        let block = Array("Exif\0\0".utf8) + tiff
        let length = block.count + 2
        return bytes.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + block + bytes.dropFirst(2)
    }

    private func orientation(_ tiff: [UInt8]) throws -> ImageOrientation {
        let bytes = try jpeg(tiff)
        _ = try ImageCoders.default.decode(bytes)
        return try ImageCoders.default.properties(of: bytes).orientation
    }

    /// One directory at offset 8 with one entry.
    private func little(tag: UInt8 = 0x12, type: UInt8 = 3, value: UInt8) -> [UInt8] {
        [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0, 1, 0, tag, 0x01, type, 0, 1, 0, 0, 0, value, 0, 0, 0, 0, 0, 0, 0]
    }

    @Test(arguments: ImageOrientation.allCases)
    func `every orientation is found, in both byte orders`(orientation: ImageOrientation) throws {
        let value = UInt8(orientation.rawValue)
        try expectEqual(self.orientation(little(value: value)), orientation)
        try expectEqual(self.orientation(little(type: 4, value: value)), orientation)
        let big: [UInt8] = [
            0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0,
        ]
        try expectEqual(self.orientation(big), orientation)
        let name = "orientation\(orientation.rawValue).jpg"
        try expectEqual(ImageCoders.default.properties(of: Fixture.named(name).bytes).orientation, orientation)
    }

    @Test func `broken metadata leaves the picture as stored`() throws {
        var far = little(value: 6)
        far.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        var many = little(tag: 0x13, value: 6)
        many.replaceSubrange(8..<10, with: [0xFF, 0xFF])
        let broken: [[UInt8]] = [
            [], [0x49], Array(little(value: 6).prefix(9)), Array(little(value: 6).prefix(19)), far, many,
            little(value: 0), little(value: 9), little(value: 255), little(type: 2, value: 6),
            little(tag: 0x13, value: 6), Array("not a TIFF structure".utf8),
        ]
        for tiff in broken { try expectEqual(orientation(tiff), .up, "\(tiff)") }
    }

    @Test func `a block of metadata above the limit is skipped in every format`() throws {
        let files = try [
            ("jpeg", jpeg(little(value: 6)), 20), ("exif6.png", Fixture.named("exif6.png").bytes, 8),
            ("exif6.webp", Fixture.named("exif6.webp").bytes, 8),
        ]
        for (name, bytes, limit) in files {
            func orientation(_ limit: Int) throws -> ImageOrientation {
                let options = DecodeOptions(limits: ImageLimits(maximumMetadataByteCount: limit))
                return try ImageCoders.default.properties(of: bytes, options: options).orientation
            }
            try expectEqual(orientation(limit), .up, "\(name)")
            try expectEqual(orientation(1_000), .right, "\(name)")
            try expectEqual(ImageCoders.default.properties(of: bytes).orientation, .right, "\(name)")
        }
    }

    @Test func `the first EXIF block of a JPEG counts`() throws {
        func block(_ value: UInt8) -> [UInt8] {
            let payload = Array("Exif\0\0".utf8) + little(value: value)
            return [0xFF, 0xE1, 0, UInt8(payload.count + 2)] + payload
        }
        let bytes = try Fixture.named("baseline-444.jpg").bytes
        for (first, second) in [(6, 3), (1, 8)] as [(UInt8, UInt8)] {
            let both = bytes.prefix(2) + block(first) + block(second) + bytes.dropFirst(2)
            let found = try ImageCoders.default.properties(of: Array(both)).orientation
            expectEqual(found.rawValue, Int(first))
            try expectEqual(ImageCoders.default.decode(Array(both)).metadata?.orientation ?? .up, found)
        }
    }

    @Test func `blocks behind 65,536 others are not looked for`() {
        let block = [0xFF, 0xE1, 0, 34] + Array("Exif\0\0".utf8) + little(value: 6)
        for (segments, isFound) in [(65_000, true), (66_000, false)] {
            let file = ImageFactory.markerBombJPEG(segments: segments)
            // Each is an empty comment of four bytes, behind the first marker.
            let end = 2 + segments * 4
            expectEqual(MetadataBlocks(of: file[..<end] + block + file[end...]).exif != nil, isFound)
        }
    }

    @Test func `chunks of odd length do not hide later chunks`() throws {
        // After the file's header and the extended header of ten bytes.
        let bytes = try Fixture.named("exif6.webp").bytes
        expect(bytes[12..<16].elementsEqual("VP8X".utf8))
        var file = bytes
        file.insert(contentsOf: Array("ABCD".utf8) + [3, 0, 0, 0, 7, 7, 7, 0], at: 30)
        let length = UInt32(file.count - 8)
        file.replaceSubrange(4..<8, with: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: length >> $0) })
        try expectEqual(ImageCoders.default.properties(of: file).orientation, .right)
        try expect(ImageCoders.default.decode(file).isSame(as: ImageCoders.default.decode(bytes)))
        // Of two blocks of EXIF the first one counts here, too.
        let later = little(value: 3)
        let known = MetadataBlocks(of: file).exif
        let both = file + Array("EXIF".utf8) + [UInt8(later.count), 0, 0, 0] + later
        expectAll(known != nil, MetadataBlocks(of: both).exif == known)
        let png = try PNGChunk.inserting("eXIf", later, into: Fixture.named("exif6.png").bytes)
        let first = PNGChunk.inserting("eXIf", little(value: 8), into: png)
        expectEqual(MetadataBlocks(of: first).exif.map { Array($0) }, little(value: 8))
    }

    @Test(arguments: 2...8) func `a JPEG is turned without a second bitmap`(orientation: Int) throws {
        func cost(_ orientation: Int) throws -> Int {
            try ImageCoders.default.decodingByteCount(of: Fixture.named("orientation\(orientation).jpg").bytes)
        }
        try expectEqual(cost(orientation), cost(1))
    }
}
