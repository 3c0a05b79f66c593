// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import WebImageTesting

/// Small pictures, each made once for all seeds.
enum Pictures {
    private struct Name: Hashable {
        let seed, side: Int
    }

    private static let made = Mutex<[Name: [UInt8]]>([:])

    /// A square PNG file with this seed.
    static func png(_ seed: Int, side: Int = 16) throws -> [UInt8] {
        let name = Name(seed: seed, side: side)
        if let bytes = made.withLock({ $0[name] }) { return bytes }
        let bytes = try ImageFactory.encoded(width: side, height: side, seed: seed, as: .png)
        made.withLock { $0[name] = bytes }
        return bytes
    }
}
