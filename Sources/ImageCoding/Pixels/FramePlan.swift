// SPDX-License-Identifier: MIT
/// The plan for the frames that a decoder draws: made smaller for a thumbnail, then turned upright.
///
/// It holds sizes, and no pixels: a plan allocates no pixels and may be made for any header.
struct FramePlan: Sendable {
    /// The decoder draws at `1 / denominator` of the stored size, each side rounded up.
    let denominator: Int
    /// The size the decoder draws, as stored.
    let drawn: PixelSize
    /// The size of the result, upright.
    let result: PixelSize
    /// The part of the drawn pixels that becomes the result. A side that was rounded up is a little longer than it.
    private let window: ResamplingWindow
    private let target: PixelSize
    /// Whether drawn frames are resampled.
    let isResampled: Bool
    private let inLinearLight: Bool
    /// How the pixels must be turned after they were drawn and made smaller.
    private let orientation: ImageOrientation
    /// How the decoder places the pixels it draws.
    let turnWhileDrawing: Turn
    /// The size of the bitmap the decoder draws on.
    let bitmap: PixelSize
    /// Converts the colours of a bitmap that is the result, before it is premultiplied, which would round them.
    let colors: ColorConversion?

    /// Creates a plan for the frames of one file.
    ///
    /// - Parameters:
    ///   - stored: The size in the file, as stored. A side below 1, which no decoder draws, counts as 1.
    ///   - orientation: How the stored pixels must be turned.
    ///   - options: How the upright picture is resized; a decoder never enlarges. Where more pixels would be drawn than
    ///     the limits allow to hold, a divisor is used that draws just enough for the result.
    ///   - denominators: The divisors at which the decoder can draw, largest first. The first one that draws at least
    ///     one and a half times the result on each side is used, so that the filter has enough to choose from.
    ///   - turnsWhileDrawing: Whether the decoder can turn a picture that is not resized, without a second bitmap.
    ///   - scalesWhole: Whether the decoder scales the picture to the rounded size, instead of padding its edges.
    init(
        _ stored: PixelSize, orientation: ImageOrientation = .up, _ options: DecodeOptions, denominators: [Int] = [],
        turnsWhileDrawing: Bool = false, scalesWhole: Bool = false
    ) {
        // The memory of a decode is told before its header is checked.
        let stored = PixelSize(width: max(stored.width, 1), height: max(stored.height, 1))
        let thumbnail = options.thumbnail
        let upright = stored.turned(orientation)
        let (result, shown) = thumbnail?.shrinking.plan(for: upright) ?? (upright, .whole(upright))
        let (target, source) = (result.turned(orientation), shown.stored(orientation, of: stored))
        func draws(_ divisor: Int, _ factor: Double) -> Bool {
            source.width / Double(divisor) >= Double(target.width) * factor
                && source.height / Double(divisor) >= Double(target.height) * factor
        }
        inLinearLight = thumbnail?.inLinearLight ?? false
        // A decoder that draws a smaller picture adds up sRGB values.
        var divisor = inLinearLight ? 1 : denominators.first { draws($0, 1.5) } ?? 1
        let isTooLarge = stored.divided(by: divisor).pixelCount > options.limits.maximumPixelCount
        if isTooLarge, scalesWhole || !inLinearLight {
            divisor = denominators.first { draws($0, 1) } ?? divisor
        }
        let drawn = stored.divided(by: divisor)
        window =
            scalesWhole
            ? source.scaled(
                x: Double(drawn.width) / Double(stored.width), y: Double(drawn.height) / Double(stored.height))
            : source.scaled(x: 1 / Double(divisor), y: 1 / Double(divisor))
        isResampled = target != drawn || window != .whole(drawn)
        let isTurnedWhileDrawing = turnsWhileDrawing && !isResampled
        denominator = divisor
        self.drawn = drawn
        self.target = target
        self.result = result
        self.orientation = isTurnedWhileDrawing ? .up : orientation
        bitmap = isTurnedWhileDrawing ? result : drawn
        colors = isResampled || options.colors?.isDoneWhileDrawing != false ? nil : options.colors
        turnWhileDrawing = Turn(isTurnedWhileDrawing ? orientation : .up, of: drawn)
    }

    /// Makes the resampler for drawn frames, or `nil` when they are the result.
    func resampler() -> Resampler? {
        isResampled
            ? Resampler(source: drawn, window: window, target: target, inLinearLight: inLinearLight) : nil
    }

    /// Makes the final pixels of one frame.
    ///
    /// - Parameter resampler: The result of ``resampler()``, one for all frames.
    func finish(_ pixels: [UInt8], _ resampler: Resampler?) throws -> [UInt8] {
        try Bitmap.turned(try resampler?.resample(pixels) ?? pixels, size: target, orientation)
    }

    /// The most bytes that finishing one frame takes beyond the drawn one: the results of shrinking and turning, and
    /// the resampler's row and weights.
    var finishingByteCount: Int {
        let shrunk = !isResampled ? 0 : target.bitmapByteCount.saturatingAdd(resamplingByteCount)
        return shrunk.saturatingAdd(orientation == .up ? 0 : target.bitmapByteCount)
    }

    /// A row of two bytes a sample; six weights for each side of the source, each in the forms of its making.
    private var resamplingByteCount: Int {
        drawn.width.saturatingMultiply(8)
            .saturatingAdd((drawn.width + target.width).saturatingMultiply(100))
            .saturatingAdd((drawn.height + target.height).saturatingMultiply(60)).saturatingAdd(1_024)
            .saturatingAdd(inLinearLight ? lightByteCount : 0)
    }

    /// A row of the source and the rows between the two directions, as light.
    private var lightByteCount: Int {
        drawn.width.saturatingAdd(2).saturatingMultiply(16)
            .saturatingAdd(rowCapacity.saturatingMultiply(target.width).saturatingMultiply(16))
    }

    /// The bytes that ``draw(_:inOrder:premultiplies:missing:_:)`` draws on.
    func drawingByteCount(inOrder: Bool) -> Int {
        guard isResampled, inOrder else { return bitmap.bitmapByteCount }
        return drawn.width.saturatingMultiply(4).saturatingMultiply(rowCapacity)
    }

    /// The rows that a row of the result depends on, and those that a decoder may draw at once.
    private var rowCapacity: Int {
        let reach = 3 * max(window.height / Double(target.height), 1)
        return min(drawn.height, Int(min(reach.rounded(.up), 1e9)) * 2 + 4 + DecodedRows.atOnce)
    }

    /// Checks what is held of a frame and what is drawn of it, before anything is allocated.
    ///
    /// - Parameters:
    ///   - stored: The size in the file.
    ///   - limits: The limits of the decode.
    ///   - rows: The rows that the decoder holds itself, all of them where it draws the frame whole. Few by default.
    ///   - subject: What holds so many rows.
    /// - Throws: ``ImageError``: `.malformed` for a side below one, `.tooLarge`, `.workLimitExceeded`.
    func check(
        _ stored: PixelSize, _ limits: ImageLimits, rows: Int = 0, whole subject: String? = nil
    ) throws(ImageError) {
        try limits.checkSides(stored)
        let (own, most) = (drawn.width.saturatingMultiply(rows), limits.maximumPixelCount)
        let held = isResampled ? max(target.pixelCount, own, drawn.width * rowCapacity) : drawn.pixelCount
        let drawsTooMuch = drawn.pixelCount > limits.maximumDrawnPixelCount
        if drawsTooMuch, isResampled || held <= most { throw limits.tooMuchToDraw }
        guard held <= most else {
            if let subject, own > most { throw limits.tooLarge(stored, whole: subject) }
            let isSmall = isResampled && own <= most && target.pixelCount <= most
            let rows = isResampled ? ", \(held) of them held at once" : ""
            throw ImageError(
                code: .tooLarge, message: "\(stored) pixels\(rows): a frame may have \(most) at most.",
                advice: "Ask for a \(isSmall ? "larger" : "smaller") thumbnail, or raise ImageLimits.maximumPixelCount."
            )
        }
    }

    /// Draws a picture and makes its final pixels, row by row if it is resampled.
    ///
    /// - Parameters:
    ///   - work: The work of the decode.
    ///   - inOrder: Whether the decoder draws row after row, and says so.
    ///   - premultiplies: Whether the drawn rows are not premultiplied yet.
    ///   - missing: The pixel in place of those that are not drawn. Transparent by default, where rows are
    ///     premultiplied.
    ///   - draw: Draws on the buffer, and returns the damage. The buffer has room for some rows and comes with
    ///     ``DecodedRows`` if the picture is resampled in order, and has room for the whole bitmap otherwise.
    func draw(
        _ work: DecodingWork, inOrder: Bool = true, premultiplies: Bool = false, missing: PixelColor = .clear,
        _ draw: (UnsafeMutableBufferPointer<UInt8>, DecodedRows?) throws -> ImageDamage
    ) throws -> DecodedImage {
        var (hasAlpha, damage) = (false, ImageDamage())
        work.progress?.expect(drawn.pixelCount)
        let resampler = resampler()
        let made = try unsafe Bitmap.draw(resampler == nil ? bitmap : target) { output in
            guard let resampler else {
                damage = try unsafe draw(output, nil)
                if premultiplies { hasAlpha = try unsafe premultiply(output, work) }
                return
            }
            let rows = unsafe DecodedRows(
                resampler, capacity: inOrder ? rowCapacity : drawn.height, premultiplies: premultiplies, to: output,
                work)
            damage = try unsafe draw(rows.buffer, inOrder ? rows : nil)
            if inOrder { try rows.fill(with: missing) } else { try rows.receiveAll() }
            hasAlpha = rows.hasAlpha
        }
        let pixels = try Bitmap.turned(made, size: target, orientation)
        var image = DecodedImage(result, pixels: pixels, hasAlpha: hasAlpha, damage: damage)
        image.isConverted = premultiplies && colors != nil
        return image
    }

    /// Converts the colours of a bitmap that is the result, and premultiplies it.
    ///
    /// - Returns: Whether any pixel is transparent.
    func premultiply(_ drawn: UnsafeMutableBufferPointer<UInt8>, _ work: DecodingWork) throws -> Bool {
        if let colors { try unsafe colors.convert(drawn, work) }
        return try unsafe Bitmap.premultiply(drawn, work)
    }
}

extension PixelSize {
    /// Both sides divided and rounded up.
    func divided(by divisor: Int) -> PixelSize {
        PixelSize(width: (width + divisor - 1) / divisor, height: (height + divisor - 1) / divisor)
    }
}
