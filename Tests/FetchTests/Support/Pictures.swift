// SPDX-License-Identifier: MIT
import ImageCoding
import WebImageTesting

/// Replies with pictures.
enum Pictures {
    static func png(seed: Int = 1, width: Int = 64, height: Int = 48) throws -> OriginReply {
        .ok(try bytes(seed: seed, width: width, height: height), type: "image/png")
    }

    static func bytes(seed: Int = 1, width: Int = 64, height: Int = 48, as format: EncodedFormat = .png) throws
        -> [UInt8]
    {
        try ImageFactory.encoded(width: width, height: height, seed: seed, as: format)
    }
}
