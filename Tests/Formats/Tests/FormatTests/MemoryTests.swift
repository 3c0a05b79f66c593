// SPDX-License-Identifier: MIT
import Glibc
import ImageCoding
import Testing

@Suite
struct MemoryTests {
    @Test
    func `a decode takes no more memory than it says`() throws {
        let pictures = Picture.all("large")
        try #require(pictures.count == 7)
        // The kernel may give a huge page to a small allocation, where a large bitmap has been, and count all of it.
        // PR_SET_THP_DISABLE; Swift does not import functions like `prctl`, nor the header of `malloc_trim`.
        let control = dlsym(nil, "prctl").map {
            unsafeBitCast($0, to: (@convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt).self)
        }
        try #require(control?(41, 1, 0, 0, 0) == 0)
        let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
        let box = ResizeTransformer(size: PixelSize(width: 300, height: 300))
        for picture in pictures {
            for thumbnail in [nil, box] {
                var options = DecodeOptions(limits: ImageLimits(maximumByteCount: 1 << 30))
                options.thumbnail = thumbnail
                let expected = try ImageCoders.default.decodingByteCount(of: picture.bytes, options: options)
                // What was freed before would count as there.
                _ = trim?(0)
                try resetPeak()
                let before = try peakByteCount()
                _ = try ImageCoders.default.decode(picture.bytes, options: options)
                let taken = try peakByteCount() - before
                #expect(taken <= expected, "\(picture.name)\(thumbnail == nil ? "" : ", its thumbnail")")
            }
        }
    }
}
