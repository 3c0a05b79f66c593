// SPDX-License-Identifier: MIT
import CLibwebp

/// The part of a WebP that holds the pixels of one picture: `VP8 `, `VP8L`, or `ALPH` followed by `VP8 `.
///
/// libwebp gets this part alone. Otherwise it would read everything before it again with every piece of the file, and
/// would keep a list of all other chunks.
struct WebPBitstream {
    /// From the header of the first chunk to the end of the last one.
    private(set) var range: Range<Int>
    /// Where the pixels begin, after the alpha.
    private var pixelStart: Int
    /// Whether the file has all of it.
    let isWhole: Bool
    /// Whether the pixels are stored exactly.
    let isLossless: Bool
    /// Whether pixels may be transparent.
    let mayHaveAlpha: Bool
    /// The range of the lossless data of the pixels or their alpha, after its header.
    private let lossless: Range<Int>?
    /// The bytes that libwebp keeps for each pixel, in addition to the drawn pixels.
    ///
    /// libwebp keeps all lossless pixels, all alpha (twice if it is lossless), and rows of blocks of lossy pixels.
    private let bytesPerPixel: Int

    /// Creates a bitstream from the chunk of the pixels.
    ///
    /// - Returns: `nil` when there are no pixels, or a part is missing.
    /// - Throws: The errors of the chunks' work.
    init?(in chunks: WebPChunks, of bytes: [UInt8]) throws {
        var chunks = chunks
        var alpha: WebPChunks.Chunk?
        while let chunk = try chunks.next() {
            if chunk.type == "ALPH" {
                alpha = alpha ?? chunk
            } else if chunk.type == "VP8 " || chunk.type == "VP8L" {
                isWhole = chunk.isWhole
                isLossless = chunk.type == "VP8L"
                if isLossless { alpha = nil }
                range = (alpha?.start ?? chunk.start)..<chunk.payload.upperBound
                pixelStart = chunk.start
                mayHaveAlpha = isLossless || alpha != nil
                if isLossless {
                    lossless = min(chunk.payload.lowerBound + 5, chunk.payload.upperBound)..<chunk.payload.upperBound
                    bytesPerPixel = 4
                } else if let payload = alpha?.payload {
                    let isRaw = payload.isEmpty || bytes[payload.lowerBound] & 3 == 0
                    lossless = isRaw ? nil : payload.lowerBound + 1..<payload.upperBound
                    bytesPerPixel = isRaw ? 1 : 5
                } else {
                    lossless = nil
                    bytesPerPixel = 0
                }
                return
            }
        }
        return nil
    }

    /// The peak memory of libwebp, in addition to the drawn pixels.
    ///
    /// - Throws: ``ImageError`` with `.malformed`; what `work` throws.
    func codecByteCount(_ bytes: [UInt8], _ size: PixelSize, _ work: DecodingWork) throws -> Int {
        let layout = try lossless.map { try LosslessLayout(bytes, in: $0, size: size, work: work).byteCount } ?? 0
        return size.pixelCount.saturatingMultiply(bytesPerPixel).saturatingAdd(layout)
            .saturatingAdd(size.width.saturatingMultiply(256)).saturatingAdd(65_536)
    }

    /// Draws RGBA rows, not premultiplied.
    ///
    /// ``WebPSteps`` tells what libwebp draws without a pause.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - size: The declared size of the picture; another one is `.malformed`.
    ///   - drawn: The size to draw; libwebp scales.
    ///   - output: Begins at the first pixel, and ends with the last one or later.
    ///   - stride: Bytes from row to row.
    ///   - failOn: With `.never`, pixels that are missing stay clear.
    ///   - work: Called between steps.
    /// - Returns: The damage that did not end the drawing.
    func draw(
        _ bytes: [UInt8], size: PixelSize, as drawn: PixelSize, to output: UnsafeMutableBufferPointer<UInt8>,
        stride: Int, failOn: DamagePolicy = .truncated, work: DecodingWork
    ) throws -> ImageDamage {
        if failOn == .never { unsafe output.update(repeating: 0) }
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0 else { throw WebPCoder.wrongLibrary }
        unsafe config.output.colorspace = MODE_RGBA
        unsafe config.output.is_external_memory = 1
        unsafe config.output.u.RGBA.rgba = output.baseAddress
        unsafe config.output.u.RGBA.stride = Int32(stride)
        unsafe config.output.u.RGBA.size = output.count
        if drawn != size {
            unsafe config.options.use_scaling = 1
            unsafe config.options.scaled_width = Int32(drawn.width)
            unsafe config.options.scaled_height = Int32(drawn.height)
        }
        // The decoder keeps the address of the configuration and of the bytes until it is deleted.
        return try unsafe withUnsafeMutablePointer(to: &config) { config in
            try unsafe bytes.withUnsafeBufferPointer { all in
                let input = unsafe UnsafeBufferPointer(rebasing: all[range])
                var features = WebPBitstreamFeatures()
                let start = unsafe UnsafeBufferPointer(rebasing: all[pixelStart..<range.upperBound])
                guard unsafe WebPGetFeatures(start.baseAddress, start.count, &features) == VP8_STATUS_OK,
                    features.width == size.width, features.height == size.height
                else {
                    throw ImageError(code: .malformed, message: "The WebP's headers disagree.", byteOffset: pixelStart)
                }
                guard let decoder = unsafe WebPIDecode(nil, 0, config) else { throw WebPCoder.noMemory }
                defer { unsafe WebPIDelete(decoder) }
                var steps = WebPSteps(
                    header: headerCount(bytes), byteCount: input.count, size: size, isLossless: isLossless)
                var counted = 0
                try work.look()
                var status = unsafe WebPIUpdate(decoder, input.baseAddress, steps.end)
                while status == VP8_STATUS_SUSPENDED {
                    guard !steps.isLast else {
                        if failOn == .never { return [.missingPixels, .missingEnd] }
                        throw ImageError(code: .truncated, message: "The WebP ends early.")
                    }
                    var rows: Int32 = 0
                    _ = unsafe WebPIDecGetRGB(decoder, &rows, nil, nil, nil)
                    let done = size.pixelCount * Int(rows) / drawn.height
                    try work.look(pixels: done - counted, isLongStep: true)
                    counted = done
                    steps.advance(drawn: done)
                    status = unsafe WebPIUpdate(decoder, input.baseAddress, steps.end)
                }
                if status == VP8_STATUS_OUT_OF_MEMORY { throw WebPCoder.noMemory }
                guard status == VP8_STATUS_OK else {
                    if failOn == .never { return [.missingPixels, .corruptData] }
                    throw ImageError(code: .malformed, message: "The WebP's data is broken.")
                }
                try work.look(pixels: size.pixelCount - counted)
                return []
            }
        }
    }

    /// The bytes of ``range`` before the first that can be decoded in steps: chunks before the pixels, headers, and the
    /// modes of all macroblocks of a lossy picture, which are its first partition.
    ///
    /// - Source: RFC 6386, section 9.1; RFC 9649, section 3.4.
    private func headerCount(_ bytes: [UInt8]) -> Int {
        let frame = pixelStart + 8
        let before = frame - range.lowerBound
        guard !isLossless, frame + 3 <= range.upperBound else { return before + 5 }
        let tag = bytes.littleEndian(3, at: frame)
        return before + 10 + tag >> 5
    }
}

/// How far libwebp gets the bytes of a picture in each step.
///
/// libwebp draws every row that its bytes are enough for, without a pause. So the bytes are divided as the pixels are:
/// a step gets the share of the bytes left that some hundred rows have in the pixels left. The share follows the
/// picture: where a dense part ends, few bytes are left, and the steps become short.
///
/// Two things are drawn in one step whatever their size: the first eighth of the bytes of a lossless picture, for which
/// libwebp waits, and pixels that take no bytes, such as macroblocks without coefficients and symbols without bits.
///
/// - Source: libwebp 1.2.4, idec_dec.c, vp8l_dec.c.
struct WebPSteps {
    /// The bytes that libwebp has after this step.
    private(set) var end: Int
    private let byteCount: Int
    private let pixelCount: Int
    /// The pixels that a step should draw.
    private let aim: Int
    /// The fewest bytes of a step, once there are pixels.
    private let least: Int
    private let isLossless: Bool

    /// Creates the first step.
    ///
    /// - Parameters:
    ///   - header: The bytes before the first that is decoded in steps.
    ///   - byteCount: All bytes.
    ///   - size: The stored size.
    ///   - isLossless: libwebp decodes up to eight rows of a lossless picture again in each step, and its codes before
    ///     the first row. So the steps are longer.
    init(header: Int, byteCount: Int, size: PixelSize, isLossless: Bool) {
        self.byteCount = byteCount
        self.isLossless = isLossless
        pixelCount = size.pixelCount
        aim = isLossless ? max(1 << 19, size.width * 48) : 1 << 18
        let body = max(byteCount - header, 0)
        least = isLossless ? max(body / max(pixelCount / aim, 1) / 4, 1) : 1
        let first = isLossless ? header + byteCount / 8 : header
        end = pixelCount <= aim ? byteCount : min(first, byteCount)
    }

    /// Whether no step follows.
    var isLast: Bool { end == byteCount }

    /// Moves on to the next step.
    ///
    /// - Parameter drawn: The pixels that are drawn so far.
    mutating func advance(drawn: Int) {
        let left = byteCount - end
        let share = Double(left) * Double(aim) / Double(max(pixelCount - drawn, 1))
        let step = isLossless && drawn == 0 ? byteCount / 8 : Int(min(share, Double(left)))
        end += min(max(step, least), left)
    }
}
