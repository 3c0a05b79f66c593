// SPDX-License-Identifier: MIT
import CLibgif

/// Writes a GIF record by record with giflib.
///
/// Safe to use: the file handle is closed once, by ``finish()`` or by the deinitialiser.
@safe struct GIFWriter: ~Copyable {
    /// The context of giflib's write function: the only owner of the bytes while a file is open.
    private final class Output {
        var bytes: [UInt8] = []
    }

    private let output: Output
    private let file: UnsafeMutablePointer<GifFileType>
    private var isOpen = true

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - size: The screen, both sides up to 65,535.
    ///   - loopCount: How often an animation is played, 0 forever; `nil` writes no loop count.
    static func open(size: PixelSize, loopCount: Int?) throws(ImageError) -> GIFWriter {
        let output = Output()
        var status: Int32 = 0
        // The writer holds the output until the file is closed.
        let handle = unsafe Unmanaged.passUnretained(output).toOpaque()
        guard let file = unsafe EGifOpen(handle, append, &status) else { throw ImageError(gif: status) }
        unsafe EGifSetGifVersion(file, true)
        let writer = unsafe GIFWriter(output: output, file: file)
        try writer.check(unsafe EGifPutScreenDesc(file, Int32(size.width), Int32(size.height), 8, 0, nil))
        if let loopCount { try writer.putLoopCount(min(loopCount, 65_535)) }
        return writer
    }

    private init(output: Output, file: UnsafeMutablePointer<GifFileType>) {
        self.output = output
        unsafe self.file = file
    }

    deinit {
        var status: Int32 = 0
        if isOpen { _ = unsafe EGifCloseFile(file, &status) }
    }

    private static let append: OutputFunc = { file, bytes, count in
        guard let handle = unsafe file?.pointee.UserData, count > 0 else { return 0 }
        let output = unsafe Unmanaged<Output>.fromOpaque(handle).takeUnretainedValue()
        unsafe output.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return count
    }

    private func putLoopCount(_ count: Int) throws(ImageError) {
        let name: [UInt8] = Array("NETSCAPE2.0".utf8)
        let value: [UInt8] = [1, UInt8(count & 0xFF), UInt8(count >> 8)]
        try check(unsafe EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE))
        try check(unsafe EGifPutExtensionBlock(file, Int32(name.count), name))
        try check(unsafe EGifPutExtensionBlock(file, Int32(value.count), value))
        try check(unsafe EGifPutExtensionTrailer(file))
    }

    /// Writes one frame.
    ///
    /// - Parameters:
    ///   - frame: One palette index for each pixel of `rect`. The screen is cleared under a frame that may be
    ///     transparent before the next one.
    ///   - rect: Where the frame lies on the screen.
    ///   - delay: In hundredths of a second.
    /// - Throws: ``ImageError``; `CancellationError`, checked between rows.
    func put(_ frame: IndexedPixels, in rect: PixelRect, delay: Int) throws {
        // A palette has a power of two of entries, at least two.
        var size = 2
        while size < frame.palette.count + (frame.transparent == nil ? 0 : 1) { size *= 2 }
        var colors = frame.palette.map {
            GifColorType(
                Red: UInt8(truncatingIfNeeded: $0 >> 16), Green: UInt8(truncatingIfNeeded: $0 >> 8),
                Blue: UInt8(truncatingIfNeeded: $0))
        }
        colors += Array(repeating: GifColorType(), count: size - colors.count)
        guard let map = unsafe GifMakeMapObject(Int32(size), colors) else {
            throw ImageError(code: .outOfMemory, message: "gif: no memory for a palette.")
        }
        defer { unsafe GifFreeMapObject(map) }
        var control = GraphicsControlBlock(
            DisposalMode: frame.transparent != nil ? DISPOSE_BACKGROUND : DISPOSE_DO_NOT, UserInputFlag: false,
            DelayTime: Int32(delay), TransparentColor: Int32(frame.transparent ?? -1))
        var block = [UInt8](repeating: 0, count: 4)
        _ = unsafe EGifGCBToExtension(&control, &block)
        try check(unsafe EGifPutExtension(file, GRAPHICS_EXT_FUNC_CODE, Int32(block.count), block))
        try check(
            unsafe EGifPutImageDesc(
                file, Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height), false, map))
        var line = [UInt8](repeating: 0, count: rect.width)
        for row in 0..<rect.height {
            if row % 64 == 0 { try Task.checkCancellation() }
            // giflib masks the line in place, hence the copy.
            line.replaceSubrange(0..<rect.width, with: frame.indexes[row * rect.width..<(row + 1) * rect.width])
            try check(unsafe EGifPutLine(file, &line, Int32(rect.width)))
        }
    }

    /// Ends the file.
    consuming func finish() throws(ImageError) -> [UInt8] {
        var status: Int32 = 0
        isOpen = false
        guard unsafe EGifCloseFile(file, &status) == GIF_OK else { throw ImageError(gif: status) }
        return output.bytes
    }

    private func check(_ status: Int32) throws(ImageError) {
        if status != GIF_OK { throw unsafe ImageError(gif: file.pointee.Error) }
    }

}
