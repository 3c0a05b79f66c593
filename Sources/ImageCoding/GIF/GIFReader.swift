// SPDX-License-Identifier: MIT
import CLibgif

/// Reads one frame of a GIF record by record with giflib.
///
/// Safe to use: the file handle and the bytes it reads live for the length of one call of `draw`.
@safe struct GIFReader: ~Copyable {
    /// The context of giflib's read function.
    ///
    /// Safe to use: the bytes outlive the reader, and reads stay within them.
    @safe private final class Source {
        let work: DecodingWork
        private let bytes: UnsafeBufferPointer<UInt8>
        private var offset = 0
        private var nextLook = 0
        private let headerLength: Int
        private let start: Int

        /// Creates a source of a file's header, and of the bytes from `start` on.
        init(_ bytes: UnsafeBufferPointer<UInt8>, headerLength: Int, from start: Int, _ work: DecodingWork) {
            unsafe self.bytes = bytes
            self.headerLength = headerLength
            self.start = start
            self.work = work
        }

        /// Copies the next bytes; none at the end of the file or of the work.
        ///
        /// Looks every kilobyte, because giflib reads codes without pixels, and unused blocks, in loops of its own.
        func copy(to target: UnsafeMutablePointer<UInt8>, wanted: Int) -> Int {
            if offset == headerLength { offset = start }
            if offset >= nextLook {
                nextLook = offset + 1_024
                if !work.mayGoOn() { return 0 }
            }
            let end = unsafe offset < headerLength ? headerLength : bytes.count
            let count = min(wanted, end - offset)
            if count > 0, let start = unsafe bytes.baseAddress {
                unsafe target.update(from: start + offset, count: count)
            }
            offset += count
            return count
        }
    }

    private let source: Source
    private let file: UnsafeMutablePointer<GifFileType>
    private var canvas: FrameCanvas
    private var control = GraphicsControlBlock()
    private var indexes: [UInt8] = []
    /// What the frame is drawn on in place of the canvas.
    private var rows: GIFRows?
    /// Whether the frame was begun.
    private var hasBegun = false

    /// Draws one frame over those before.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - headerLength: The bytes before the first block.
    ///   - start: Where to begin after the header: at a frame, or the blocks that precede it.
    ///   - canvas: The screen, of a size within the limits, after the frames before.
    ///   - rows: What the first frame is drawn on in place of the canvas; it is resampled as it comes.
    ///   - failOn: Which damage ends the reading with an error.
    ///   - work: Called between rows.
    /// - Returns: The damage that did not.
    /// - Throws: ``ImageError``, also without a frame; `CancellationError`.
    static func draw(
        _ bytes: [UInt8], headerLength: Int, from start: Int, on canvas: inout FrameCanvas, rows: GIFRows? = nil,
        failOn: DamagePolicy, work: DecodingWork
    ) throws -> ImageDamage {
        try unsafe bytes.withUnsafeBufferPointer { buffer in
            let source = unsafe Source(buffer, headerLength: headerLength, from: start, work)
            var status: Int32 = 0
            // The reader holds the source until the file is closed.
            let handle = unsafe Unmanaged.passUnretained(source).toOpaque()
            guard let file = unsafe DGifOpen(handle, copyBytes, &status) else {
                throw work.end ?? ImageError(gif: status)
            }
            var reader = unsafe GIFReader(source: source, file: file, canvas: canvas)
            // The reader has the only reference while it draws.
            canvas = FrameCanvas(size: canvas.size)
            reader.rows = rows
            let damage = try reader.readRecords(failOn)
            canvas = reader.canvas
            return damage
        }
    }

    private init(source: Source, file: UnsafeMutablePointer<GifFileType>, canvas: FrameCanvas) {
        self.source = source
        unsafe self.file = file
        self.canvas = canvas
        control.TransparentColor = NO_TRANSPARENT_COLOR
    }

    deinit {
        var status: Int32 = 0
        _ = unsafe DGifCloseFile(file, &status)
    }

    private static let copyBytes: InputFunc = { file, target, wanted in
        guard let target = unsafe target, wanted > 0, let handle = unsafe file?.pointee.UserData else { return 0 }
        let source = unsafe Unmanaged<Source>.fromOpaque(handle).takeUnretainedValue()
        return Int32(unsafe source.copy(to: target, wanted: Int(wanted)))
    }

    /// Reads the blocks up to the frame, and draws it.
    private mutating func readRecords(_ failOn: DamagePolicy) throws -> ImageDamage {
        do {
            while true {
                var kind = UNDEFINED_RECORD_TYPE
                try unsafe check(DGifGetRecordType(file, &kind))
                switch kind {
                case EXTENSION_RECORD_TYPE: try readExtension()
                case IMAGE_DESC_RECORD_TYPE:
                    try readFrame()
                    return []
                default: throw ImageError(code: .malformed, message: "The GIF has no frame.")
                }
            }
        } catch let error as ImageError where failOn == .never && error.isDamage && hasBegun {
            // The rows so far are the frame.
            try rows?.finish(source.work)
            return [.missingPixels, error.code == .truncated ? .missingEnd : .corruptData]
        }
    }

    private mutating func readExtension() throws {
        var code: Int32 = 0
        var block: UnsafeMutablePointer<GifByteType>?
        try unsafe check(DGifGetExtension(file, &code, &block))
        var isFirst = true
        while let data = unsafe block {
            // Its first byte is its length. A control of another length than four is ignored, as giflib does, and so is
            // what follows the first block.
            if isFirst, code == GRAPHICS_EXT_FUNC_CODE {
                _ = unsafe DGifExtensionToGCB(Int(data[0]), data + 1, &control)
            }
            isFirst = false
            try unsafe check(DGifGetExtensionNext(file, &block))
        }
    }

    private mutating func readFrame() throws {
        try unsafe check(DGifGetImageDesc(file))
        let image = unsafe file.pointee.Image
        let frame = unsafe PixelRect(
            x: Int(image.Left), y: Int(image.Top), width: Int(image.Width), height: Int(image.Height))
        guard frame.width > 0, frame.height > 0 else {
            throw ImageError(
                code: .malformed, message: "A frame of the GIF is \(frame.width) by \(frame.height) pixels.")
        }
        guard let map = unsafe image.ColorMap ?? file.pointee.SColorMap else {
            throw ImageError(code: .malformed, message: "A frame of the GIF has no palette.")
        }
        let palette = unsafe GIFPalette(map.pointee, transparent: Int(control.TransparentColor))
        if rows == nil {
            try canvas.begin(frame, GIFOutline.disposal(Int(control.DisposalMode)), source.work)
        } else {
            try rows?.begin(frame, palette, isInterlaced: unsafe image.Interlace, work: source.work)
        }
        hasBegun = true
        try readRows(of: frame, isInterlaced: unsafe image.Interlace, palette: palette)
        try rows?.finish(source.work)
    }

    private mutating func readRows(of frame: PixelRect, isInterlaced: Bool, palette: GIFPalette) throws {
        if indexes.count < frame.width { indexes = [UInt8](repeating: 0, count: frame.width) }
        let work = source.work
        var undrawn = 0
        let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        for (first, step) in passes {
            for row in stride(from: first, to: frame.height, by: step) {
                undrawn += frame.width
                if undrawn >= 1 << 16 {
                    try work.look(pixels: undrawn)
                    undrawn = 0
                }
                try unsafe check(DGifGetLine(file, &indexes, Int32(frame.width)))
                if rows == nil {
                    canvas.draw(indexes, of: frame, row: row, palette)
                } else {
                    rows?.draw(indexes, row: row)
                }
            }
        }
    }

    private func check(_ status: Int32) throws {
        if status == GIF_OK { return }
        // The apparent end of the file may have been the end of the work.
        if let end = source.work.end { throw end }
        throw unsafe ImageError(gif: file.pointee.Error)
    }

}

/// The colours of a frame as RGBA pixels, 256 of them: indexes beyond the file's palette are opaque black.
struct GIFPalette {
    /// Four bytes a colour.
    let pixels: [UInt8]
    /// The index that leaves the screen unchanged, or a number that no index has.
    let transparent: Int

    init(_ map: ColorMapObject, transparent: Int) {
        var pixels = [UInt8](repeating: 0, count: 1024)
        for index in 0..<256 {
            if let colors = unsafe map.Colors, unsafe index < map.ColorCount {
                pixels[index * 4] = unsafe colors[index].Red
                pixels[index * 4 + 1] = unsafe colors[index].Green
                pixels[index * 4 + 2] = unsafe colors[index].Blue
            }
            pixels[index * 4 + 3] = 255
        }
        self.pixels = pixels
        self.transparent = transparent
    }
}

extension ImageError {
    /// What giflib says of a status.
    init(gif status: Int32) {
        let codes: [Int32: Code] = [
            D_GIF_ERR_READ_FAILED: .truncated, D_GIF_ERR_NOT_ENOUGH_MEM: .outOfMemory,
            E_GIF_ERR_NOT_ENOUGH_MEM: .outOfMemory,
        ]
        let text = unsafe GifErrorString(status).map { unsafe String(cString: $0) } ?? "status \(status)"
        self.init(code: codes[status] ?? .malformed, message: "gif: \(text).")
    }
}
