// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing

@testable import WebImage

/// What tells originals apart.
@Suite struct OriginalTests {
    @Test func `files that a program has stored between two transfers are not the same content`() {
        func original(_ bytes: [UInt8]) -> Original {
            var file = EncodedImage(bytes: bytes, format: .png, width: 1, height: 1, frameCount: 1, source: .memory)
            (file.number, file.generation) = (7, ContentGeneration(of: bytes))
            return Original(file)
        }
        expect(!original([1]).isSameContent(as: original([2])))
        expect(original([1]).isSameContent(as: original([1])))
    }
}
