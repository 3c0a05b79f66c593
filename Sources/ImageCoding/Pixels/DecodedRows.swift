// SPDX-License-Identifier: MIT
import CImageShims

/// Rows of a picture that is resampled while it is decoded: as many as a row of the result depends on.
///
/// Safe to use: the buffer lives as long as the object, and the output is only written during the decode that lends it.
@safe final class DecodedRows {
    /// The most rows that a decoder draws before it says so.
    static let atOnce = 16

    /// Row `y` is drawn at `y % capacity`, RGBA.
    let buffer: UnsafeMutableBufferPointer<UInt8>
    let capacity: Int
    /// Whether any pixel was transparent before it was premultiplied.
    private(set) var hasAlpha = false
    private let resampler: Resampler
    private let premultiplies: Bool
    private let output: UnsafeMutableBufferPointer<UInt8>
    private let work: DecodingWork
    private var line: Resampler.Line
    /// The rows that are drawn.
    private var drawn = 0
    /// The rows of the result that are made.
    private var finished = 0

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: Its rows: at least the resampler's reach and ``atOnce``, or all.
    ///   - premultiplies: Whether the rows are not premultiplied.
    ///   - output: Gets the result.
    ///   - work: The work of the decode; the resampling of a picture that may be held whole is excluded from its time.
    init(
        _ resampler: Resampler, capacity: Int, premultiplies: Bool, to output: UnsafeMutableBufferPointer<UInt8>,
        _ work: DecodingWork
    ) {
        precondition(capacity >= min(resampler.reach + DecodedRows.atOnce, resampler.source.height))
        self.resampler = resampler
        self.capacity = capacity
        self.premultiplies = premultiplies
        unsafe self.output = output
        self.work = work
        line = resampler.line()
        unsafe buffer = .allocate(capacity: capacity * resampler.source.width * 4)
        unsafe HugePages.advise(buffer)
    }

    deinit { unsafe buffer.deallocate() }

    private var stride: Int { resampler.source.width * 4 }

    /// Makes the rows of the result that the first `count` rows are enough for.
    func receive(upTo count: Int) {
        guard count > drawn, count <= resampler.source.height else { return }
        if premultiplies {
            for row in drawn..<count where unsafe Bitmap.premultiply(slot(of: row)) { hasAlpha = true }
        }
        drawn = count
        let ready = resampler.rowCount(from: count, finished: finished)
        if ready == finished { return }
        _ = work.excluding(pixels: resampler.source.pixelCount) {
            unsafe resampler.resample(
                finished..<ready, from: UnsafeBufferPointer(buffer), capacity: capacity, with: &line, to: output)
        }
        finished = ready
    }

    /// Makes the result from rows that were all drawn.
    func receiveAll() throws {
        while drawn < resampler.source.height {
            try work.look()
            receive(upTo: min(drawn + DecodedRows.atOnce, resampler.source.height))
        }
    }

    /// Draws the rows that the decoder did not draw, up to a row or to the last one. A colour that is not opaque is
    /// clear, and rows are premultiplied then, which shows that it is there.
    func fill(with color: PixelColor, upTo end: Int = .max) throws {
        let pixel = color.premultiplied
        while drawn < min(end, resampler.source.height) {
            try work.look()
            let slot = unsafe slot(of: drawn)
            unsafe slot.update(repeating: pixel[0])
            if pixel.contains(where: { $0 != pixel[0] }) {
                for offset in 0..<stride { unsafe slot[offset] = pixel[offset % 4] }
            }
            receive(upTo: drawn + 1)
        }
    }

    /// The place of a row, which is among the next ``capacity`` ones.
    func slot(of row: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let start = row % capacity * stride
        return unsafe UnsafeMutableBufferPointer(rebasing: buffer[start..<start + stride])
    }

    /// Runs a C function with the function and the context that tell rows what is drawn.
    static func lend<Result>(
        _ rows: DecodedRows?, _ body: (swi_drew?, UnsafeMutableRawPointer?) throws -> Result
    ) rethrows -> Result {
        guard let rows else { return try body(nil, nil) }
        return try withExtendedLifetime(rows) {
            // Kept alive until `body` returns, and used on this thread alone.
            try unsafe body(
                { rows, count in
                    unsafe Unmanaged<DecodedRows>.fromOpaque(rows).takeUnretainedValue().receive(upTo: count)
                }, Unmanaged.passUnretained(rows).toOpaque())
        }
    }
}
