// SPDX-License-Identifier: MIT
@testable import ImageCoding
import Testing
import WebImageTesting

@Suite("DecodedImage")
struct DecodedImageTests {
    private let pixel = DecodedImage.Frame(pixels: [1, 2, 3, 255], duration: .milliseconds(20))

    @Test
    func `frames of another size, none at all and sizes that overflow are refused`() {
        func code(_ width: Int, _ height: Int, _ frames: [DecodedImage.Frame], loops: Int = 0) -> ImageError.Code? {
            do {
                _ = try DecodedImage(width: width, height: height, frames: frames, loopCount: loops, hasAlpha: false)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(1, 1, [pixel]) == nil)
        #expect(code(1, 1, []) == .invalidRequest)
        #expect(code(2, 1, [pixel]) == .invalidRequest)
        #expect(code(1, 1, [pixel, .init(pixels: [])]) == .invalidRequest)
        #expect(code(0, 1, [.init(pixels: [])]) == .invalidRequest)
        #expect(code(-1, -1, [pixel]) == .invalidRequest)
        #expect(code(.max, .max, [pixel]) == .invalidRequest)
        #expect(code(.max, 1, [pixel]) == .invalidRequest)
        #expect(code(1, 1, [pixel], loops: -1) == .invalidRequest)
    }

    @Test
    func `a picture costs four bytes per pixel and frame`() throws {
        let image = try DecodedImage(width: 1, height: 1, frames: [pixel, pixel, pixel], loopCount: 4, hasAlpha: true)
        #expect(image.byteCount == 12)
        #expect(image.isAnimated)
        let first = image.firstFrame
        #expect(first.byteCount == 4 && !first.isAnimated && first.loopCount == 0 && first.hasAlpha)
        #expect(first.frames[0].duration == .zero)
    }

    @Test
    func `an error has a message and a place`() {
        let error = ImageError(code: .malformed, message: "A chunk is broken.", byteOffset: 12)
        #expect(error.description == "ImageError.malformed: A chunk is broken. (at byte 12)")
    }
}
