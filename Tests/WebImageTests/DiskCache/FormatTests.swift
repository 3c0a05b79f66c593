// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebImage

struct FormatTests {
    /// The pseudo-random bytes of xxHash's own sanity check.
    private func sanityBytes(_ count: Int) -> [UInt8] {
        var generator: UInt64 = 2_654_435_761
        return (0..<count).map { _ in
            defer { generator &*= 11_400_714_785_074_694_797 }
            return UInt8(generator >> 56)
        }
    }

    /// Length, seed and checksum.
    private static let sanityChecks: [(Int, UInt64, UInt64)] = [
        (0, 0, 0xEF46_DB37_51D8_E999), (0, 2_654_435_761, 0xAC75_FDA2_929B_17EF),
        (1, 0, 0xE934_A84A_DB05_2768), (1, 2_654_435_761, 0x5014_6076_43A9_B4C3),
        (4, 0, 0x9136_A0DC_A574_57EE), (14, 0, 0x8282_DCC4_994E_35C8),
        (14, 2_654_435_761, 0xC3BD_6BF6_3DEB_6DF0), (222, 0, 0xB641_AE8C_B691_C174),
        (222, 2_654_435_761, 0x20CB_8AB7_AE10_C14A),
    ]

    @Test func `the checksum is XXH64, also of a slice, and that of a content XXH3 from 241 bytes`() {
        for (count, seed, expected) in Self.sanityChecks {
            expectEqual(Checksum.of(sanityBytes(count), seed: seed), expected, "\(count) bytes, seed \(seed)")
        }
        for (count, expected) in Self.contents {
            expectEqual(Checksum.ofContent(sanityBytes(count)), expected, "content of \(count) bytes")
        }
        let bytes = sanityBytes(100)
        for start in 0..<40 { expectEqual(Checksum.of(bytes[start...]), Checksum.of(Array(bytes[start...]))) }
    }

    /// Length, and what libxxhash 0.8.1 makes of those bytes: XXH64 up to 240 bytes, XXH3 from there.
    private static let contents: [(Int, UInt64)] = [
        (0, 0xEF46_DB37_51D8_E999), (1, 0xE934_A84A_DB05_2768), (222, 0xB641_AE8C_B691_C174),
        (241, 0xC5A6_39EC_D203_0E5E), (256, 0x55DE_574A_D89D_0AC5), (1_024, 0xDD85_C9B5_C110_9C5C),
        (1_025, 0xD870_C0FA_1321_1C6A), (1_088, 0xCC14_50EA_6B52_A8F4), (2_048, 0xDD59_E2C3_A5F0_38E0),
        (20_000, 0xF5C7_E25B_7401_101A),
    ]

    @Test func `a digest is the beginning of SHA-256, leads to its path and back, and fills a table evenly`() {
        for (count, expected) in Self.digests {
            let (high, low) = Digest.of((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            expectEqual(KeyDigest(high: high, low: low).fileName, expected, "\(count) bytes")
        }
        for digest in [KeyDigest(high: 0x0123_4567_89AB_CDEF, low: 0xFF), KeyDigest(of: CacheKey("k"))] {
            expectEqual(digest.path(in: "/ä/b"), "/ä/b/\(digest.folder)/\(digest.fileName)")
        }
        let digest = KeyDigest(of: CacheKey("https://images.example/a.png"))
        expectEqual(KeyDigest(fileName: digest.fileName), digest)
        expect(digest.fileName.prefix(16).hasSuffix(digest.folder))
        expectEqual(KeyDigest(high: 0x0123_4567_89AB_CDEF, low: 0xFF).fileName, "0123456789abcdef00000000000000ff")
        let foreign = [
            "", "tmp", "0123456789ABCDEF00000000000000ff", "0123456789abcdef00000000000000f",
            "../../../../../../etc/passwd0000",
        ]
        for name in foreign {
            expectNil(KeyDigest(fileName: name), "\(name)")
        }
        expectEqual(Set(EntryFiles.entryFolders).count, 256)
        expect(Set((0..<100).map { KeyDigest(high: $0, low: 7).hashValue }).count, >, 95)
        expect(Set((0..<100).map { KeyDigest(high: 7, low: $0).hashValue }).count, >, 95)
    }

    /// The number of bytes, and how the digest that `sha256sum` makes of them begins.
    private static let digests: [(Int, String)] = [
        (0, "e3b0c44298fc1c149afbf4c8996fb924"), (1, "ca358758f6d27e6cf45272937977a748"),
        (3, "647674a296197442f518bcca323ec605"), (127, "192409cd280e14b743642ad1343fbd3e"),
        (128, "cc548ca2dec1f6fe4f58b2e27aa9c752"), (300, "4ebe2a8bd5ece93fb899b68e8a5fe644"),
    ]

    @Test func `keys are equal when their bytes are`() {
        expectEqual(CacheKey("a"), CacheKey("a"))
        expectEqual("\u{E9}", "e\u{301}")
        expect(CacheKey("\u{E9}") != CacheKey("e\u{301}"))
        expectEqual(Set([CacheKey("\u{E9}"), CacheKey("e\u{301}")]).count, 2)
    }

    @Test func `metadata comes back as it was, without fields of later versions, and is refused when it is cut`() {
        // Metadata comes back as it was.
        var full = sampleEntry().metadata
        (full.generation, full.madeFrom) = (nil, ContentGeneration(rawValue: .max))
        expectEqual(EntryMetadata(encoded: full.encoded()[...]), full)
        let bare = EntryMetadata(url: "")
        expectEqual(EntryMetadata(encoded: bare.encoded()[...]), bare)
        let extreme = EntryMetadata(url: "x", pixelWidth: .max, storedAt: .min, expiresAt: .max, attributes: ["": ""])
        expectEqual(EntryMetadata(encoded: extreme.encoded()[...]), extreme)

        // Fields of later versions are skipped.
        var metadata = sampleEntry().metadata
        metadata.generation = nil
        expectEqual(EntryMetadata(encoded: (metadata.encoded() + [200, 2, 0, 0, 0, 7, 7])[...]), metadata)

        // Metadata cut anywhere is refused or whole fields, never a crash.
        let bytes = sampleEntry().metadata.encoded()
        for length in 0..<bytes.count { _ = EntryMetadata(encoded: bytes[..<length]) }
        expectNil(EntryMetadata(encoded: []))
        expectNil(EntryMetadata(encoded: bytes.dropLast()))
        // A length of 4 GiB in a field of eight bytes.
        expectNil(EntryMetadata(encoded: [1, 255, 255, 255, 255, 0, 0, 0]))
        // An attribute whose name would be longer than the field.
        expectNil(EntryMetadata(encoded: [1, 0, 0, 0, 0, 14, 4, 0, 0, 0, 9, 0, 0, 0]))
    }

    @Test func `a front is refused when its lengths do not add up, and not filled up beyond the largest file`() throws {
        // A header with lengths that do not add up is refused before anything is allocated.
        do {
            let front = try required(EntryHeader.front(key: CacheKey("k"), metadata: .init(url: "u"), body: [1, 2, 3]))
            let size = front.count + 3
            expectEqual(EntryHeader(front, fileSize: size)?.bodyLength, 3)
            expectNil(EntryHeader(front, fileSize: size + 1))
            expectNil(EntryHeader(front, fileSize: size - 1))
            var hostile = front
            for place in 8..<24 { hostile[place] = 0xFF }
            expectNil(EntryHeader(hostile, fileSize: size))
            expectNil(EntryHeader(hostile, fileSize: .max))
            expectNil(EntryHeader(Array(front.prefix(39)), fileSize: size))
        }

        // An entry is not filled up beyond the largest file.
        let entry = sampleEntry(2, size: 5_000)
        let key = CacheKey("https://images.example/1.png")
        let bare = try required(EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes))
        for limit in [0, bare.count + 5_000, 512 + 4_999] {
            let front = EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes, filledUpTo: limit)
            expectEqual(front, bare)
        }
        let filled = EntryHeader.front(key: key, metadata: entry.metadata, body: entry.bytes, filledUpTo: 512 + 5_000)
        expectEqual(filled?.count, 512)
    }
}
