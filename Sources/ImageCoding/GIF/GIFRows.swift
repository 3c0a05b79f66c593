// SPDX-License-Identifier: MIT
import CImageShims

/// The screen of a GIF whose first frame alone is wanted: rows that are resampled as they are drawn.
///
/// It holds no pixels of its own. The rows of an interlaced frame wait as indexes for those between them.
struct GIFRows {
    private let rows: DecodedRows
    private let size: PixelSize
    private var frame = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var palette: GIFPalette?
    /// The rows of an interlaced frame within the screen, and which of them are there.
    private var waiting: [UInt8] = []
    private var isThere: [Bool] = []

    init(_ rows: DecodedRows, size: PixelSize) {
        self.rows = rows
        self.size = size
    }

    /// Clears the rows above a frame.
    mutating func begin(_ frame: PixelRect, _ palette: GIFPalette, isInterlaced: Bool, work: DecodingWork) throws {
        try work.look(pixels: size.pixelCount)
        self.frame = frame
        self.palette = palette
        try rows.fill(with: .clear, upTo: frame.y)
        guard isInterlaced else { return }
        let height = max(min(frame.height, size.height - frame.y), 0)
        waiting = [UInt8](repeating: 0, count: height * frame.width)
        isThere = [Bool](repeating: false, count: height)
    }

    /// Draws one row of the frame, clipped to the screen, or keeps it.
    mutating func draw(_ indexes: [UInt8], row: Int) {
        if waiting.isEmpty { return put(indexes[...], row) }
        guard row < isThere.count else { return }
        waiting.replaceSubrange(row * frame.width..<(row + 1) * frame.width, with: indexes[..<frame.width])
        isThere[row] = true
    }

    /// Draws the rows that were kept, after the last one or at the end of a broken file.
    mutating func finish(_ work: DecodingWork) throws {
        for row in isThere.indices {
            try work.look()
            if isThere[row] {
                put(waiting[row * frame.width..<(row + 1) * frame.width], row)
            } else {
                try rows.fill(with: .clear, upTo: frame.y + row + 1)
            }
        }
        (waiting, isThere) = ([], [])
    }

    private func put(_ indexes: ArraySlice<UInt8>, _ row: Int) {
        let y = frame.y + row
        guard y < size.height, let palette else { return }
        let slot = unsafe rows.slot(of: y)
        unsafe slot.update(repeating: 0)
        let width = min(frame.width, size.width - frame.x)
        if width > 0, let start = slot.baseAddress {
            unsafe indexes.withUnsafeBufferPointer { indexes in
                // Not empty: a frame has columns. A transparent index out of range is no index at all.
                unsafe swi_draw_indexes(
                    indexes.baseAddress!, width, palette.pixels, Int32(clamping: palette.transparent),
                    start + frame.x * 4)
            }
        }
        rows.receive(upTo: y + 1)
    }
}

extension FrameCanvas {
    /// Draws one row of a frame of a GIF, clipped to the screen.
    mutating func draw(_ indexes: [UInt8], of frame: PixelRect, row: Int, _ palette: GIFPalette) {
        let line = PixelRect(x: frame.x, y: frame.y + row, width: frame.width, height: 1)
        guard let visible = line.clipped(to: size) else { return }
        let start = (visible.y * size.width + visible.x) * 4
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            let target = unsafe pixels.baseAddress! + start
            // Neither is empty: the width is not zero. A transparent index out of range is no index at all.
            unsafe swi_draw_indexes(
                indexes, visible.width, palette.pixels, Int32(clamping: palette.transparent), target)
        }
    }
}
