// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// An animation that becomes one file goes through the job frame by frame.
@Suite(.balanced, .timeLimit(.minutes(1))) struct StreamedFramesTests {
    /// Notes how files are decoded.
    private struct NotingCoder: ImageDecoding {
        let onDemand: Journal<Bool>
        private let coders = ImageCoders.default

        init(_ onDemand: Journal<Bool>) { self.onDemand = onDemand }

        func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
        func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
            try coders.properties(of: bytes, options: options)
        }
        func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
            try coders.decodingByteCount(of: bytes, options: options)
        }
        func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
            onDemand.write(options.framesOnDemand)
            return try coders.decode(bytes, options: options)
        }
    }

    private let onDemand = Journal<Bool>()

    private func staged(_ file: [UInt8], limit: Int? = nil, gate: Gate? = nil) throws -> StagedManager {
        var configuration = ImageManager.Configuration()
        if let limit { configuration.maximumProcessingByteCount = limit }
        return try StagedManager(seed: 1, gate: gate, configuration: configuration) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([file]))
        }
    }

    private func request(_ steps: [any ImageTransforming] = []) -> ImageRequest {
        var request = ImageRequest.numbered(1, transformers: steps)
        let coders = ImageCoders(
            decoders: [NotingCoder(onDemand)], encoders: ImageCoders.default.encoders)
        request.coders = Identified(identity: "noting", coders)
        return request
    }

    private static func animation(_ count: Int) throws -> [UInt8] {
        let frames = (0..<count).map { number in
            var pixels: [UInt8] = []
            for place in 0..<64 * 48 { pixels += [UInt8((place * 7 + number * 31) % 251), 90, UInt8(number), 255] }
            return DecodedImage.Frame(pixels: pixels, duration: .milliseconds(50))
        }
        let image = try DecodedImage(width: 64, height: 48, frames: frames, hasAlpha: false)
        return try ImageCoders.default.encode(image, as: .gif)
    }

    /// The file with codes that do not exist in a later frame.
    private static func damagedLate(_ file: [UInt8]) throws -> [UInt8] {
        for start in stride(from: file.count / 3, to: file.count - 6, by: 37) {
            var broken = file
            broken.replaceSubrange(start..<start + 6, with: [UInt8](repeating: 0xFF, count: 6))
            let image = try? ImageCoders.default.decode(broken, options: DecodeOptions(framesOnDemand: true))
            if let image, image.frameCount == 9, (try? image.loadingAllFrames()) == nil { return broken }
        }
        throw ImageError(code: .malformed, message: "no place was found")
    }

    @Test func `one file is made of frames on demand, in memory for a few`() throws {
        let file = try Self.animation(60)
        // All frames would take 737,280 bytes.
        let one = try staged(file, limit: 6_000_000)
        let caller = one.dataInTurn(
            request([.resize(to: PixelSize(width: 32, height: 32)), .grayscale]), as: .webp())
        expectEqual(caller.value?.frameCount, 60)
        expectEqual(onDemand.entries, [true])
        expect(one.isAtRest)
    }

    @Test func `two outputs share the frames, which are held, and pixels are never on demand`() throws {
        let gate = Gate()
        let both = try staged(Self.animation(5), gate: gate)
        let file = both.data(request(), as: .webp())
        let picture = both.load(request())
        both.run(without: .pixels)
        both.open(gate)
        expectEqual(file.value?.frameCount, 5)
        expectEqual(picture.value?.image.makesFramesOnDemand, false)
        expectEqual(onDemand.entries, [false])
    }

    @Test func `a file of the frames before a damaged one says that others are missing`() throws {
        let broken = try staged(Self.damagedLate(Self.animation(9)))
        var lax = request()
        lax.failOn = .never
        for _ in 0..<2 {
            let file = broken.dataInTurn(lax, as: .webp()).value
            expect((1..<9).contains(file?.frameCount ?? 0))
            expectEqual(file?.damage, [.missingPixels, .corruptData])
            broken.emptyMemory()
        }
        expectEqual(onDemand.entries, [true])
        expect(broken.isAtRest)
    }

    @Test func `a file whose damage comes late is no picture, and is not stored`() throws {
        let broken = try staged(Self.damagedLate(Self.animation(9)))
        let caller = broken.dataInTurn(request(), as: .webp())
        expectEqual(caller.code, .undecodable)
        expectEqual(broken.fileCount, 0)
        expect(broken.isAtRest)
    }
}
