// SPDX-License-Identifier: MIT
import Foundation
import WebImage

/// One entry of a disk cache whose file is damaged again and again. What comes back is what was stored, or nothing;
/// where the checksums were put right afterwards it may be anything, and must only end well.
struct CacheFiles {
    private let cache: DiskCache
    private let key = CacheKey("http://origin.test/picture")
    private let entry: DiskEntry
    private let path: String
    private let original: [UInt8]

    init(_ cache: DiskCache, folder: String) async throws {
        self.cache = cache
        let metadata = EntryMetadata(
            url: key.rawValue, contentType: "image/png", format: "png", pixelWidth: 8, pixelHeight: 8, frameCount: 1,
            httpStatus: 200, etag: "\"1\"", lastModified: "Thu, 01 Jan 1970 00:00:00 GMT", expiresAt: .max,
            varySelectors: ["accept": "*/*"], attributes: ["a": "b"])
        _ = try await cache.store(DiskEntry(metadata: metadata, bytes: Array(0..<200)), for: key)
        guard let stored = try await cache.entry(for: key) else { loss("the cache does not work in \(folder)") }
        entry = stored
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        guard let name = files.first(where: { $0.count > 30 }) else { loss("there is no file in \(folder)") }
        path = folder + "/" + name
        original = Array(try Data(contentsOf: URL(filePath: path)))
        var repaired = original
        repaired.replaceSubrange(24..<40, with: repeatElement(0, count: 16))
        Self.repair(&repaired)
        if repaired != original { loss("the checksums of a cache file are others than here") }
    }

    /// - Returns: Whether the entry was found.
    func attack(_ mutation: inout Mutation) async throws -> Bool {
        var bytes = mutation.damaged(original, with: original)
        let isForged = mutation.next(below: 2) == 0
        if isForged { Self.repair(&bytes) }
        try Data(bytes).write(to: URL(filePath: path))
        guard let found = try await cache.entry(for: key) else { return false }
        guard isForged || (found == entry && bytes == original) else { loss("a damaged file was served") }
        return true
    }

    /// Puts both checksums right where the lengths in the header allow it, so that the damage reaches what is behind
    /// them.
    private static func repair(_ bytes: inout [UInt8]) {
        guard bytes.count >= 40 else { return }
        let lengths = [8, 12].map { place in bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) } }
        let body = 40 + lengths[0] + lengths[1]
        guard body <= bytes.count else { return }
        func put(_ sum: UInt64, at place: Int) {
            for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * index)) }
        }
        put(checksum(bytes[body...], seed: 0), at: 24)
        put(checksum(bytes[40..<body], seed: checksum(bytes[..<32], seed: 0)), at: 32)
    }

    /// XXH64 (Collet, "XXH64 algorithm description").
    private static func checksum(_ bytes: ArraySlice<UInt8>, seed: UInt64) -> UInt64 {
        let primes: [UInt64] = [
            0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
            0x27D4_EB2F_1656_67C5,
        ]
        func turn(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
        func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 { turn(lane &+ word &* primes[1], 31) &* primes[0] }
        var rest = bytes
        func word(_ count: Int) -> UInt64 {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        var hash = seed &+ primes[4]
        if rest.count >= 32 {
            var lanes = [seed &+ primes[0] &+ primes[1], seed &+ primes[1], seed, seed &- primes[0]]
            while rest.count >= 32 { for lane in 0..<4 { lanes[lane] = mix(lanes[lane], word(8)) } }
            hash = zip(lanes, [1, 7, 12, 18]).reduce(0) { $0 &+ turn($1.0, $1.1) }
            for lane in lanes { hash = (hash ^ mix(0, lane)) &* primes[0] &+ primes[3] }
        }
        hash &+= UInt64(bytes.count)
        while rest.count >= 8 { hash = turn(hash ^ mix(0, word(8)), 27) &* primes[0] &+ primes[3] }
        if rest.count >= 4 { hash = turn(hash ^ word(4) &* primes[0], 23) &* primes[1] &+ primes[2] }
        while !rest.isEmpty { hash = turn(hash ^ word(1) &* primes[4], 11) &* primes[0] }
        hash = (hash ^ hash >> 33) &* primes[1]
        hash = (hash ^ hash >> 29) &* primes[2]
        return hash ^ hash >> 32
    }
}
