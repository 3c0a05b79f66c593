// SPDX-License-Identifier: MIT
import CBenchBaselines
import Foundation
import ImageCoding

/// Generated JPEG and PNG files, the same in every run.
enum Photograph {
    /// 4,000 by 3,000 pixels, about 2 MB.
    static func twelveMegapixels() throws -> [UInt8] { try jpeg(width: 4_000, height: 3_000) }

    /// The same numbers, of Display P3, as phones take them.
    static func ofPhones() throws -> [UInt8] {
        guard let profile = Data(base64Encoded: displayP3) else { throw Failure("the profile is no Base64") }
        let coders = ImageCoders.default
        var image = try coders.decode(twelveMegapixels())
        image.metadata = ImageMetadata(colorProfile: Array(profile))
        return try coders.encode(image, as: .jpeg(quality: 85).keeping(.colorProfile))
    }

    /// 1,600 by 1,200 pixels, as in a feed.
    static func twoMegapixels() throws -> [UInt8] { try jpeg(width: 1_600, height: 1_200) }

    /// 2,000 by 1,333 pixels, as comparisons of image servers use.
    static func ofServers() throws -> [UInt8] { try jpeg(width: 2_000, height: 1_333) }

    /// 320 by 240 pixels, as on a page.
    static func small() throws -> [UInt8] { try jpeg(width: 320, height: 240) }

    /// 8 by 8 pixels: nearly no work to decode.
    static func tiny() throws -> [UInt8] { try jpeg(width: 8, height: 8) }

    /// 4,000 by 3,000 pixels, interlaced.
    static func interlacedPNG() throws -> [UInt8] {
        var count = 0
        guard let bytes = unsafe bench_png_make(4_000, 3_000, &count) else { throw Failure("could not make a PNG") }
        // `malloc`ed with `count` bytes; freed here.
        defer { unsafe free(bytes) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// An ICC profile of primaries and a curve.
    private static let displayP3 = """
        AAAB0G5vbmUCEAAAbW50clJHQiBYWVogAAAAAAAAAAAAAAAAYWNzcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAPbWAAEA\
        AAAA0y0AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJZGVzYwAAAPAAAABgY3BydAAA\
        AVAAAAAQd3RwdAAAAWAAAAAUclhZWgAAAXQAAAAUZ1hZWgAAAYgAAAAUYlhZWgAAAZwAAAAUclRSQwAAAbAAAAAgZ1RSQwAAAbAA\
        AAAgYlRSQwAAAbAAAAAgZGVzYwAAAAAAAAAFbWFkZQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAdGV4dAAAAABub25lAAAAAFhZWiAAAAAAAAD21gABAAAAANMtWFla\
        IAAAAAAAAIPfAAA9v////7tYWVogAAAAAAAASr8AALE3AAAKuVhZWiAAAAAAAAAoOAAAEQsAAMi5cGFyYQAAAAAAAwAAAAJmZgAA\
        8qcAAA1ZAAAT0AAACls=
        """

    private static func jpeg(width: Int32, height: Int32) throws -> [UInt8] {
        var count = 0
        guard let bytes = unsafe bench_jpeg_make(width, height, 85, &count) else {
            throw Failure("could not make a JPEG of \(width)×\(height) pixels")
        }
        // `malloc`ed with `count` bytes; freed here.
        defer { unsafe free(bytes) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    }
}
