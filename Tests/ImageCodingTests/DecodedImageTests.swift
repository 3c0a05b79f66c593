// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("DecodedImage")
struct DecodedImageTests {
    private let pixel = DecodedImage.Frame(pixels: [1, 2, 3, 255], duration: .milliseconds(20))

    @Test func `frames of another size, none at all and sizes that overflow are refused`() {
        func code(_ width: Int, _ height: Int, _ frames: [DecodedImage.Frame], loops: Int = 0) -> ImageError.Code? {
            do {
                _ = try DecodedImage(width: width, height: height, frames: frames, loopCount: loops, hasAlpha: false)
                return nil
            } catch {
                return error.code
            }
        }
        expectNil(code(1, 1, [pixel]))
        expectEqual(code(1, 1, []), .invalidRequest)
        expectEqual(code(2, 1, [pixel]), .invalidRequest)
        expectEqual(code(1, 1, [pixel, .init(pixels: [])]), .invalidRequest)
        expectEqual(code(0, 1, [.init(pixels: [])]), .invalidRequest)
        expectEqual(code(-1, -1, [pixel]), .invalidRequest)
        expectEqual(code(.max, .max, [pixel]), .invalidRequest)
        expectEqual(code(.max, 1, [pixel]), .invalidRequest)
        expectEqual(code(1, 1, [pixel], loops: -1), .invalidRequest)
    }

    @Test func `a picture costs four bytes per pixel and frame`() throws {
        let image = try DecodedImage(width: 1, height: 1, frames: [pixel, pixel, pixel], loopCount: 4, hasAlpha: true)
        expectEqual(image.byteCount, 12)
        expect(image.isAnimated)
        let first = image.firstFrame
        expectAll(first.byteCount == 4, !first.isAnimated, first.loopCount == 0, first.hasAlpha)
        expectEqual(first.frames[0].duration, .zero)
        expectEqual("\(image)", "DecodedImage(1x1, 3 frames, alpha)")
        expectEqual("\(first)", "DecodedImage(1x1, 1 frame, alpha)")
    }

    @Test func `an error has a message and a place`() {
        let error = ImageError(code: .malformed, message: "A chunk is broken.", byteOffset: 12)
        expectEqual(error.description, "ImageError.malformed: A chunk is broken. (at byte 12)")
        let large = ImageError(code: .tooLarge, message: "9 pixels.", advice: "Raise the limit.")
        expectEqual(large.description, "ImageError.tooLarge: 9 pixels. Raise the limit.")
        expectEqual([large.summary, large.message], ["9 pixels.", "9 pixels. Raise the limit."])
    }

    @Test func `a policy surely accepts what it draws, but broken data only if it accepts any damage`() {
        let damages: [ImageDamage] = [[], .missingEnd, .missingPixels, .corruptData, .notExamined]
        func accepted(_ policy: DamagePolicy) -> [Bool] { damages.map(policy.surelyAccepts) }
        expectEqual(accepted(.never), [true, true, true, true, true])
        expectEqual(accepted(.truncated), [true, true, false, false, false])
        expectEqual(accepted(.anyDamage), [true, false, false, false, false])
        expect(!DamagePolicy.truncated.surelyAccepts([.missingEnd, .corruptData]))
    }

    @Test func `a decode is half done with half of its pixels, and the next one begins anew`() {
        let progress = DecodingProgress()
        progress.expect(10)
        progress.note(drawn: 4)
        expect(!progress.isHalfDone)
        progress.note(drawn: 5)
        expect(progress.isHalfDone)
        progress.begin()
        progress.note(drawn: 9)
        expect(!progress.isHalfDone)
    }
}
