// SPDX-License-Identifier: MIT
import ImageCoding
import Synchronization
import WebImageTesting

/// Small pictures, each made once for all seeds.
enum Pictures {
    private static let made = Mutex<[Int: [UInt8]]>([:])

    /// A PNG file of 16 by 16 pixels with this seed.
    static func png(_ seed: Int) throws -> [UInt8] {
        if let bytes = made.withLock({ $0[seed] }) { return bytes }
        let bytes = try ImageFactory.encoded(width: 16, height: 16, seed: seed, as: .png)
        made.withLock { $0[seed] = bytes }
        return bytes
    }
}
