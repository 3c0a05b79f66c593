// SPDX-License-Identifier: MIT

/// Writes animated PNG: a PNG for each frame, of the part that has changed, put together again.
///
/// - Source: PNG (third edition), sections 11.3.6.1 to 11.3.6.3.
enum PNGAnimationWriter {
    /// Encodes all frames, each after the one before, so that no more than two are in memory.
    ///
    /// - Throws: ``ImageError``, also of a frame that cannot be made; `CancellationError`.
    static func encode(_ image: DecodedImage, level: Int) throws -> [UInt8] {
        var (file, sequence) = ([UInt8](), UInt32(0))
        var shown: [UInt8]?
        for index in 0..<image.frameCount {
            try Task.checkCancellation()
            let frame = try image.frame(at: index)
            let rect = ChangedPart.rect(image.size, shown, frame.pixels)
            let pixels = ChangedPart.cut(rect, from: frame.pixels, width: image.width)
            let part = try PNGCoder.encode(
                image.hasAlpha ? Bitmap.unpremultiplied(pixels) : pixels,
                PixelSize(width: rect.width, height: rect.height), level, hasAlpha: image.hasAlpha)
            if index == 0 {
                // The signature and the header of the first frame, which is as large as the canvas.
                file += part[..<33]
                let counts = [UInt32(image.frameCount), UInt32(clamping: image.loopCount)]
                PNGChunk.append("acTL", [counts.flatMap(PNGChunk.bigEndian)[...]], to: &file)
            }
            PNGChunk.append("fcTL", [control(sequence, rect, frame.duration)[...]], to: &file)
            sequence += 1
            for data in data(of: part) {
                if index == 0 {
                    PNGChunk.append("IDAT", [data], to: &file)
                } else {
                    PNGChunk.append("fdAT", [PNGChunk.bigEndian(sequence)[...], data], to: &file)
                    sequence += 1
                }
            }
            shown = frame.pixels
        }
        PNGChunk.append("IEND", [], to: &file)
        return file
    }

    /// What a control chunk says: the frame stays, and replaces what is below it.
    private static func control(_ sequence: UInt32, _ rect: PixelRect, _ duration: Duration) -> [UInt8] {
        let numbers = [Int(sequence), rect.width, rect.height, rect.x, rect.y].map { UInt32($0) }
        // Milliseconds, or tenths of a second where these do not fit: at most 65,535 of either.
        let time = FrameTiming.milliseconds(duration)
        let (delay, unit) = time <= 65_535 ? (time, 1_000) : (min(time / 100, 65_535), 10)
        let times = [delay, unit].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return numbers.flatMap(PNGChunk.bigEndian) + times + [0, 0]
    }

    /// The data of the picture in a file that libpng wrote.
    private static func data(of file: [UInt8]) -> [ArraySlice<UInt8>] {
        var (at, parts) = (8, [ArraySlice<UInt8>]())
        while at + 12 <= file.count {
            let length = PNGHeader.number(in: file, at: at)
            if file[at + 4..<at + 8].elementsEqual("IDAT".utf8) { parts.append(file[at + 8..<at + 8 + length]) }
            at += 12 + length
        }
        return parts
    }
}
