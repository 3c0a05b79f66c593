// SPDX-License-Identifier: MIT
extension GIFCoder {
    /// Decodes the first frame, and leaves the others to a source.
    ///
    /// - Parameter byteCount: The peak memory of a frame.
    static func decodeOnDemand(
        _ bytes: [UInt8], _ outline: GIFOutline, _ plan: FramePlan, _ options: DecodeOptions, byteCount: Int
    ) throws -> DecodedImage {
        var places = outline.places
        var damage: ImageDamage = []
        if !outline.isComplete {
            guard options.failOn == .never || options.failOn == .truncated && !outline.endsInFrame else {
                throw ImageError(code: .truncated, message: "The GIF ends early.", byteOffset: bytes.count)
            }
            damage = outline.endsInFrame ? [.missingEnd, .missingPixels] : .missingEnd
            if outline.endsInFrame { places.removeLast() }
        }
        let limits = options.limits
        let source = ComposedFrames(
            durations: places.map { FrameTiming.duration(milliseconds: $0.milliseconds) },
            byteCount: bytes.count.saturatingAdd(byteCount), plan: plan, empty: GIFCanvas(size: outline.size)
        ) { [places, length = outline.headerLength] canvas, index in
            try GIFReader.readFrame(
                bytes, headerLength: length, from: places[index].start, on: &canvas,
                work: DecodingWork(limits: limits, byteCount: bytes.count))
        }
        return DecodedImage(
            plan.result, .onDemand(try source.pixels(at: 0), source), loopCount: outline.loopCount,
            hasAlpha: outline.hasAlpha || outline.clearsFrames, damage: damage)
    }
}
