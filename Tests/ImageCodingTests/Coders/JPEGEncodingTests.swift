// SPDX-License-Identifier: MIT
import CImageShims
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// How often an encoder has asked whether it shall stop, and the call that says yes.
private let looks = Atomic<Int>(0)
private let lastLook = Atomic<Int>(.max)

@Suite("JPEG encoding", .serialized)
struct JPEGEncodingTests {
    private let coders = ImageCoders.default

    private func format(_ optimizes: Bool?, quality: Int = 80, isProgressive: Bool = false) -> EncodedFormat {
        EncodedFormat(
            .jpeg,
            options: EncodeOptions(quality: quality, isProgressive: isProgressive, optimizesCoding: optimizes))
    }

    private func gray(_ width: Int, _ height: Int) throws -> DecodedImage {
        let pixels = [UInt8](repeating: 128, count: width * height * 4)
        return try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: false)
    }

    @Test func `up to 1024 by 1024 pixels Huffman tables are made for the picture, unless an option says otherwise`()
        throws
    {
        for (width, height, optimizes) in [(1_024, 1_024, true), (61_681, 17, false), (1_025, 1_024, false)] {
            let image = try gray(width, height)
            let files = try [nil, true, false].map { try coders.encode(image, as: format($0)) }
            expect(files[1].count, <, files[2].count)
            expect(files[0] == files[optimizes ? 1 : 2], "\(width) by \(height)")
        }
    }

    @Test func `tables of its own make no file larger, change no pixel, and come with every progressive file`() throws {
        let noise = try DecodedImage(
            width: 64, height: 64, frames: [.init(pixels: ImageFactory.randomBytes(count: 64 * 64 * 4, seed: 1))],
            hasAlpha: false)
        let images =
            [noise, try gray(1, 1)]
            + [(33, 7), (120, 90)].map { ImageFactory.picture(width: $0.0, height: $0.1, seed: 3) }
        for image in images {
            for quality in [1, 50, 80, 100] {
                let own = try coders.encode(image, as: format(true, quality: quality))
                let standard = try coders.encode(image, as: format(false, quality: quality))
                expect(own.count, <, standard.count, "\(image.size), quality \(quality)")
                try expect(coders.decode(own).isSame(as: coders.decode(standard)))
                try expectEqual(
                    coders.encode(image, as: format(false, quality: quality, isProgressive: true)),
                    coders.encode(image, as: format(true, quality: quality, isProgressive: true)))
            }
        }
    }

    @Test func `the estimate counts the coefficients, of whole blocks and of the size that is encoded`() throws {
        func cost(_ image: DecodedImage, _ format: EncodedFormat) -> Int {
            coders.encodingByteCount(of: image, as: format)
        }
        // Squares of 16 pixels hold six blocks of 64 coefficients of two bytes.
        let narrow = try gray(1, 33)
        expectEqual(cost(narrow, format(true)) - cost(narrow, format(false)), 3 * 768)
        expectEqual(cost(narrow, format(nil)), cost(narrow, format(true)))
        expectEqual(cost(narrow, format(false, isProgressive: true)), cost(narrow, format(true)))
        let large = try gray(1_600, 1_200)
        expectEqual(cost(large, format(nil)), cost(large, format(false)))
        expectEqual(cost(large, format(true)) - cost(large, format(false)), 100 * 75 * 768)
        let box = PixelSize(width: 160, height: 160)
        let small = ImageFactory.picture(width: 160, height: 120, seed: 1)
        expectEqual(cost(large, .jpeg().limited(to: box)), cost(small, format(true)) + 160 * 120 * 4)
    }

    @Test func `the divisors of a file grow with the square of the frequency, and with lower quality`() throws {
        // Two segments of a marker, a length, a number and 64 divisors, in zigzag order.
        func divisors(_ quality: Int) throws -> [[UInt8]] {
            let file = try coders.encode(
                ImageFactory.picture(width: 16, height: 16, seed: 1), as: .jpeg(quality: quality))
            return file.indices.filter { file[$0...].starts(with: [0xFF, 0xDB, 0, 67]) }
                .map { Array(file[($0 + 5)..<($0 + 69)]) }
        }
        let half = try divisors(50)
        expectEqual(half.count, 2)
        for (table, divisors) in zip(half, [(17, 17, 20, 95), (22, 24, 30, 218)]) {
            // The mean, one wave across and one down, two waves down, and the finest.
            expectEqual(
                [0, 1, 2, 3, 63].map { Int(table[$0]) }, [divisors.0, divisors.1, divisors.1, divisors.2, divisors.3])
        }
        try expect(divisors(100).joined().allSatisfy { $0 == 1 })
        try expect(divisors(1).joined().allSatisfy { $0 == 255 })
    }

    @Test(arguments: [(false, 0), (true, 0), (true, 1)])
    func `an encoder can be stopped at every row, and at every row of blocks of a later pass`(
        optimizes: Bool, progressive: Int32
    ) throws {
        let (width, height) = (40, 2_000)
        var noise = SeededGenerator(seed: 4)
        let pixels = (0..<width * height * 4).map { _ in UInt8.random(in: 0...255, using: &noise) }
        func status(stopAt last: Int) -> Int {
            looks.store(0, ordering: .relaxed)
            lastLook.store(last, ordering: .relaxed)
            var request = swi_jpeg_encode_request(
                width: Int32(width), height: Int32(height), quality: 80, progressive: progressive,
                optimize_coding: optimizes ? 1 : 0
            ) {
                looks.wrappingAdd(1, ordering: .relaxed).newValue >= lastLook.load(ordering: .relaxed) ? 1 : 0
            }
            var (output, failure) = unsafe (swi_bytes(), swi_failure())
            defer { unsafe swi_bytes_free(&output) }
            let status = unsafe Int(swi_jpeg_encode(pixels, &request, &output, &failure))
            // Who is told of a failure has nothing to free.
            expectEqual(unsafe output.start != nil, status == Int(SWI_OK))
            return status
        }
        expectEqual(status(stopAt: .max), Int(SWI_OK))
        let count = looks.load(ordering: .relaxed)
        // Rows of the picture, then rows of blocks.
        expect(count, >=, height + (optimizes ? (height + 15) / 16 : 0))
        for last in [1, height, height + 1, count] where last <= count {
            expectEqual(status(stopAt: last), Int(SWI_STOPPED), "\(last) of \(count)")
            expectEqual(looks.load(ordering: .relaxed), last)
        }
    }
}
