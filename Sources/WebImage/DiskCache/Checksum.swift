// SPDX-License-Identifier: MIT
/// The 64-bit checksum of cache entries: XXH64, which runs at about the speed of memory.
///
/// It finds damage, not forgery: a process that may write to the cache folder can also write a matching checksum.
///
/// - Source: xxHash fast digest algorithm, specification 0.1.1, section "XXH64" (constants and steps).
enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The checksum of `bytes`, seeded so that parts can be chained.
    ///
    /// - Complexity: O(n), four 64-bit words per step.
    static func of(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        of(bytes[...], seed: seed)
    }

    /// The checksum of a part of an array.
    ///
    /// - Complexity: O(n), four 64-bit words per step.
    static func of(_ bytes: ArraySlice<UInt8>, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe of($0, seed: seed) }
    }

    static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        let count = bytes.count
        var offset = 0
        var hash: UInt64
        if count >= 32 {
            var lanes = (seed &+ prime1 &+ prime2, seed &+ prime2, seed, seed &- prime1)
            while offset &+ 32 <= count {
                lanes.0 = unsafe round(lanes.0, word(bytes, offset))
                lanes.1 = unsafe round(lanes.1, word(bytes, offset &+ 8))
                lanes.2 = unsafe round(lanes.2, word(bytes, offset &+ 16))
                lanes.3 = unsafe round(lanes.3, word(bytes, offset &+ 24))
                offset &+= 32
            }
            hash = rotate(lanes.0, 1) &+ rotate(lanes.1, 7) &+ rotate(lanes.2, 12) &+ rotate(lanes.3, 18)
            hash = merge(merge(merge(merge(hash, lanes.0), lanes.1), lanes.2), lanes.3)
        } else {
            hash = seed &+ prime5
        }
        hash &+= UInt64(count)
        while offset &+ 8 <= count {
            hash = unsafe rotate(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
            offset &+= 8
        }
        if offset &+ 4 <= count {
            let half = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            hash = rotate(hash ^ (UInt64(half) &* prime1), 23) &* prime2 &+ prime3
            offset &+= 4
        }
        while offset < count {
            hash = unsafe rotate(hash ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
            offset &+= 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        (value &<< bits) | (value &>> (64 &- bits))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotate(lane &+ (word &* prime2), 31) &* prime1
    }

    @inline(__always)
    private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        ((hash ^ round(0, lane)) &* prime1) &+ prime4
    }
}
