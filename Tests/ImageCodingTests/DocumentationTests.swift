// SPDX-License-Identifier: MIT
import Testing
import WebImageTesting

@testable import ImageCoding

/// The example in the module's documentation, word for word.
struct DocumentationTests {
    @Test func `a file is read, made smaller and written in another format`() throws {
        let file = try ImageFactory.encoded(width: 64, height: 48, seed: 1)

        let coders = ImageCoders.default
        let properties = try coders.properties(of: file)
        let box = PixelSize(width: 32, height: 32)
        let small = DecodeOptions(thumbnail: .resize(to: box))
        let picture = try coders.decode(file, options: small)
        let middle = PixelRect(x: 4, y: 0, width: 24, height: 24)
        let square = try CropTransformer(middle).transform(picture)
        let webP = try coders.encode(square, as: .webp(quality: 80))

        #expect(properties.width == 64)
        #expect(picture.size == PixelSize(width: 32, height: 24))
        #expect(try coders.properties(of: webP).size == PixelSize(width: 24, height: 24))
    }
}
