// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// The state that frames of an animation inherit from each other, and the state that they do not.
@Suite("Animations")
struct AnimationTests {
    /// Two by two pixels of white; index 0 is black.
    private static let whitePixels: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x4C, 0x12, 0x05, 0]

    @Test
    func `a graphic control belongs to one frame of a GIF, and both extensions say how often it is played`() throws {
        let header = ImageFactory.headerOnlyGIF(side: 2)
        // Cleared after it was shown, index 1 is transparent, half a second.
        let control: [UInt8] = [0x21, 0xF9, 4, 2 << 2 | 1, 50, 0, 1, 0]
        let frames = [control + Self.whitePixels, Self.whitePixels, Self.whitePixels].flatMap { $0 }
        let image = try ImageCoders.default.decode(header + frames + [0x3B])
        expectEqual(image.frames.map(\.duration), [.milliseconds(500), .milliseconds(100), .milliseconds(100)])
        let clear = [UInt8](repeating: 0, count: 16)
        let white = [UInt8](repeating: 255, count: 16)
        expectEqual(image.frames.map(\.pixels), [clear, white, white])
        for name in ["NETSCAPE2.0", "ANIMEXTS1.0"] {
            let loops: [UInt8] = [0x21, 0xFF, 11] + Array(name.utf8) + [3, 1, 3, 1, 0]
            let bytes = header + loops + Self.whitePixels + Self.whitePixels + [0x3B]
            try expectEqual(ImageCoders.default.decode(bytes).loopCount, 0x0103, "\(name)")
        }
    }

    @Test func `of a graphic control with two blocks the first one counts`() throws {
        // Clear for half a second; then opaque for a second.
        let control: [UInt8] = [0x21, 0xF9, 4, 1, 50, 0, 1, 4, 0, 100, 0, 0, 0]
        let frames = (control + Self.whitePixels) + (control + Self.whitePixels)
        let file = ImageFactory.headerOnlyGIF(side: 2) + frames + [0x3B]
        for onDemand in [false, true] {
            let image = try ImageCoders.default.decode(file, options: DecodeOptions(framesOnDemand: onDemand))
            expectEqual(image.durations, [.milliseconds(500), .milliseconds(500)])
            try expectEqual(image.frame(at: 1).pixels, [UInt8](repeating: 0, count: 16))
        }
    }

    /// Two frames of 16 by 16 on a canvas of 40 by 40, the second one at (20, 20).
    private func twoFrames(_ flags: UInt8, _ change: (inout [UInt8], [Int]) -> Void = { _, _ in }) throws
        -> DecodedImage
    {
        var bytes = ImageFactory.canvasBombWebP(frames: 2, canvas: 40, side: 16)
        let frames = bytes.indices.filter { bytes[$0...].starts(with: "ANMF".utf8) }.map { $0 + 8 }
        try #require(frames.count == 2)
        bytes[frames[0] + 15] = flags
        bytes[frames[1]] = 10
        bytes[frames[1] + 3] = 10
        change(&bytes, frames)
        return try ImageCoders.default.decode(bytes)
    }

    private func alpha(_ image: DecodedImage, _ frame: Int, _ x: Int, _ y: Int) -> UInt8 {
        image.frames[frame].pixels[(y * image.width + x) * 4 + 3]
    }

    @Test func `a frame of a WebP is cleared before the next one, or blended, if its header requires it`() throws {
        let kept = try twoFrames(0)
        expectEqual(alpha(kept, 0, 5, 5), 255)
        expectEqual(alpha(kept, 0, 25, 25), 0)
        expectEqual(alpha(kept, 1, 5, 5), 255)
        expectEqual(alpha(kept, 1, 25, 25), 255)
        expectEqual(alpha(kept, 1, 18, 18), 0)
        expect(kept.hasAlpha)
        let cleared = try twoFrames(1)
        expectEqual(cleared.pixels, kept.pixels)
        expectEqual(alpha(cleared, 1, 5, 5), 0)
        expectEqual(alpha(cleared, 1, 25, 25), 255)
        // Transparent pixels are blended or replace the canvas.
        // Alpha of the second frame's pixels made zero, at the first one's place.
        func image(_ flags: UInt8) throws -> DecodedImage {
            try twoFrames(0) { bytes, frames in
                bytes[frames[1]] = 0
                bytes[frames[1] + 3] = 0
                bytes[frames[1] + 15] = flags
                // The last of four symbols of eight bits that begin at bit 43, three bits of kind before each.
                let bit = (frames[1] + 16 + 8) * 8 + 43 + 3 * 11 + 3
                for index in bit..<bit + 8 { bytes[index / 8] &= ~(1 << UInt8(index % 8)) }
            }
        }
        try expectEqual(alpha(image(0), 1, 5, 5), 255)
        try expectEqual(alpha(image(2), 1, 5, 5), 0)
    }

    @Test func `a frame of a WebP outside the canvas or of another size than its pixels is malformed`() throws {
        for (offset, value) in [(0, 13), (3, 13), (6, 14), (9, 16), (8, 1)] as [(Int, UInt8)] {
            expectImageError(.malformed) {
                try twoFrames(0) { bytes, frames in bytes[frames[1] + offset] = value }
            }
        }
    }
}
