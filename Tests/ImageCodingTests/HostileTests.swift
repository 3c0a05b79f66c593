// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Broken files end in an ``ImageError``, never in a crash.
@Suite("Hostile input")
struct HostileTests {
    /// Small enough that a flipped bit in a size costs no time.
    private static let options = DecodeOptions(
        limits: ImageLimits(
            maximumPixelCount: 100_000, maximumSide: 4_000, maximumFrameCount: 20, maximumAnimationPixelCount: 200_000))

    @Test(arguments: Fixture.all)
    func `every beginning of a file is refused if any damage fails`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        var options = HostileTests.options
        options.failOn = .anyDamage
        for length in bytes.indices {
            // The macro that expects an error, and those that look into a call, describe what they see at each turn.
            do {
                _ = try ImageCoders.default.decode(Array(bytes.prefix(length)), options: options)
                Issue.record("drawn at length \(length)")
            } catch {
                let code = (error as? ImageError)?.code
                let isRefused = code == .truncated || code == .malformed || code == .unknownFormat
                expect(isRefused, "length \(length): \(error)")
            }
        }
    }

    @Test(arguments: Fixture.all) func `flipped bits give a picture or an error`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        var refused = 0
        for seed in 0..<500 {
            var broken = bytes
            let noise = ImageFactory.randomBytes(count: 9, seed: seed)
            for flip in 0...Int(noise[8] % 3) {
                // Every other seed changes the headers.
                let range = seed % 2 == 0 ? bytes.count : min(bytes.count, 64)
                broken[(Int(noise[flip * 2]) << 8 | Int(noise[flip * 2 + 1])) % range] ^= 1 << (noise[6] & 7)
            }
            do {
                _ = try? ImageCoders.default.properties(of: broken)
                var options = HostileTests.options
                options.failOn = DamagePolicy.allCases[seed % 3]
                let image = try ImageCoders.default.decode(broken, options: options)
                let isWhole = image.frames.allSatisfy { $0.pixels.count == image.width * image.height * 4 }
                expect(isWhole, "seed \(seed)")
            } catch {
                let isRefused = error is ImageError
                expect(isRefused, "seed \(seed): \(error)")
                refused += 1
            }
        }
        expect(refused, >, 0)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webp])
    func `a signature before noise, and no bytes at all, are refused`(format: ImageFormat) throws {
        let start = try Fixture.all.first { $0.format == format }.map { try $0.bytes.prefix(30) } ?? []
        for seed in 0..<500 {
            let bytes = start + ImageFactory.randomBytes(count: 300, seed: seed)
            expectImageError {
                try ImageCoders.default.decode(Array(bytes), options: HostileTests.options)
            }
        }
        expectImageError(.unknownFormat) { try ImageCoders.default.decode([]) }
    }
}
