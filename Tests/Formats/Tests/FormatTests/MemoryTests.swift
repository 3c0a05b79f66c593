// SPDX-License-Identifier: MIT
import Glibc
import ImageCoding
import Testing

@Suite
struct MemoryTests {
    /// Pages of code and of tables that are read for the first time.
    private let codeByteCount = 1 << 19

    @Test
    func `a decode takes no more memory than it says`() throws {
        let pictures = Picture.all("large")
        try #require(pictures.count == 10)
        let box = ResizeTransformer(size: PixelSize(width: 300, height: 300))
        for picture in pictures {
            for thumbnail in [nil, box] {
                var options = DecodeOptions(limits: ImageLimits(maximumByteCount: 1 << 30))
                options.thumbnail = thumbnail
                let (expected, taken) = try byteCounts(of: picture, options)
                let name = "\(picture.name)\(thumbnail == nil ? "" : ", its thumbnail")"
                #expect(taken <= expected + codeByteCount, "\(name)")
            }
        }
    }

    @Test
    func `a scan of 65 megapixels becomes a thumbnail within the default limits, or an error that says why`() throws {
        let pictures = Picture.all("scan")
        try #require(pictures.count == 5)
        // A build for debugging takes longer.
        let options = DecodeOptions(
            limits: ImageLimits(maximumProcessorTime: .seconds(1_000)),
            thumbnail: ResizeTransformer(size: PixelSize(width: 500, height: 500), mode: .fill))
        for picture in pictures where picture.name != "scan-strip.tiff.scan" {
            let (expected, taken) = try byteCounts(of: picture, options)
            #expect(taken <= expected + codeByteCount, "\(picture.name)")
            #expect(expected < 20 << 20, "\(picture.name)")
        }
        let strip = try #require(Picture.named("scan-strip.tiff.scan"))
        let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(strip.bytes, options: options) }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("A strip or tile of 7072 rows is drawn whole") == true)
    }

    /// The bytes that a decode says it takes, and those that it takes.
    private func byteCounts(of picture: Picture, _ options: DecodeOptions) throws -> (expected: Int, taken: Int) {
        // The kernel may give a huge page to a small allocation, where a large bitmap has been, and count all of it.
        // PR_SET_THP_DISABLE; Swift does not import functions like `prctl`, nor the header of `malloc_trim`.
        let control = dlsym(nil, "prctl").map {
            unsafeBitCast($0, to: (@convention(c) (CInt, UInt, UInt, UInt, UInt) -> CInt).self)
        }
        try #require(control?(41, 1, 0, 0, 0) == 0)
        let trim = dlsym(nil, "malloc_trim").map { unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self) }
        let expected = try ImageCoders.default.decodingByteCount(of: picture.bytes, options: options)
        // What was freed before would count as there.
        _ = trim?(0)
        try resetPeak()
        let before = try peakByteCount()
        _ = try ImageCoders.default.decode(picture.bytes, options: options)
        return (expected, try peakByteCount() - before)
    }
}
