// SPDX-License-Identifier: MIT
import CImageShims

/// The screen on which the frames of a GIF are drawn, one over the other.
///
/// - Source: GIF89a, section 23 (disposal methods), as browsers read it: "background" means transparent.
struct GIFCanvas: FrameCanvas {
    /// What happens to a frame before the next one is drawn.
    enum Disposal: Sendable {
        case keep
        case clear
        case restore

        init(_ method: Int32) {
            switch method {
            case 2: self = .clear
            case 3: self = .restore
            default: self = .keep
            }
        }
    }

    let size: PixelSize
    /// RGBA, either opaque or all zero; empty before the first frame, so that a header alone takes no memory.
    private(set) var pixels: [UInt8] = []
    private var frame = PixelRect(x: 0, y: 0, width: 0, height: 0)
    private var disposal = Disposal.keep
    /// The pixels below the frame, if they will be restored.
    private var saved: [UInt8] = []

    init(size: PixelSize) {
        self.size = size
    }

    /// Disposes of the frame before and prepares for the rows of the next one.
    mutating func begin(_ next: PixelRect, disposal nextDisposal: Disposal, work: DecodingWork) throws {
        // The picture so far is passed on, so the next frame is drawn on a copy.
        try work.look(pixels: size.pixelCount)
        let isFirst = pixels.isEmpty
        if isFirst { pixels = try Bitmap.clear(size, work) }
        dispose()
        frame = next
        // There is nothing to keep below the first frame.
        disposal = isFirst && nextDisposal == .restore ? .clear : nextDisposal
        saved = []
        if disposal == .restore {
            let covered = frame.clipped(to: size).map { $0.width * $0.height * 4 } ?? 0
            saved.reserveCapacity(covered)
            for bytes in visibleRows(of: frame) { saved += pixels[bytes] }
        }
    }

    /// Removes the frame before, if its disposal requires it.
    private mutating func dispose() {
        if disposal == .keep { return }
        let rows = visibleRows(of: frame)
        let (saved, isCleared) = (saved, disposal == .clear)
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            unsafe saved.withUnsafeBufferPointer { saved in
                var offset = 0
                for bytes in rows {
                    if isCleared {
                        unsafe pixels[bytes].update(repeating: 0)
                    } else {
                        _ = unsafe pixels[bytes].update(fromContentsOf: saved[offset..<offset + bytes.count])
                    }
                    offset += bytes.count
                }
            }
        }
    }

    /// Draws one row of the frame, clipped to the screen.
    mutating func draw(_ indexes: [UInt8], row: Int, palette: GIFPalette) {
        let y = frame.y + row
        let width = min(frame.width, size.width - frame.x)
        guard y < size.height, width > 0 else { return }
        let start = (y * size.width + frame.x) * 4
        unsafe indexes.withUnsafeBufferPointer { indexes in
            unsafe pixels.withUnsafeMutableBufferPointer { pixels in
                let target = unsafe UnsafeMutableBufferPointer(rebasing: pixels[start..<start + width * 4])
                // None is empty: the width is not zero. A transparent index out of range is no index at all.
                unsafe swi_draw_indexes(
                    indexes.baseAddress!, width, palette.pixels, Int32(clamping: palette.transparent),
                    target.baseAddress!)
            }
        }
    }

    /// The bytes of each row inside the screen.
    private func visibleRows(of rect: PixelRect) -> some Sequence<Range<Int>> {
        let visible = rect.clipped(to: size) ?? PixelRect(x: 0, y: 0, width: 0, height: 0)
        return (0..<visible.height).lazy.map { [width = size.width] row in
            let start = ((visible.y + row) * width + visible.x) * 4
            return start..<start + visible.width * 4
        }
    }
}
