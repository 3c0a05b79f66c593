// SPDX-License-Identifier: MIT
extension WebPCoder {
    /// Decodes the first frame, and leaves the others to a source.
    ///
    /// - Parameter byteCount: The peak memory of a frame.
    static func decodeOnDemand(
        _ bytes: [UInt8], _ outline: WebPOutline, _ plan: FramePlan, _ options: DecodeOptions, byteCount: Int,
        _ work: DecodingWork
    ) throws -> DecodedImage {
        var damage: ImageDamage = outline.isComplete ? [] : .missingEnd
        if !outline.isComplete, !outline.endsInMetadata { damage.insert(.missingPixels) }
        var frames = [WebPFrame]()
        var chunks = outline.chunks(of: bytes, work: work)
        while let chunk = try chunks.next() {
            guard chunk.type == WebPChunks.frame, chunk.isWhole else { continue }
            frames.append(try WebPFrame(chunk.payload, of: bytes, on: outline.size, work: work))
        }
        let isCovered = frames[0].size == outline.size && !frames.contains { $0.isCleared }
        let limits = options.limits
        let source = ComposedFrames(
            durations: frames.map { FrameTiming.duration(milliseconds: $0.duration) },
            byteCount: bytes.count.saturatingAdd(byteCount), plan: plan, empty: WebPCanvas(size: outline.size)
        ) { [frames] canvas, index in
            try canvas.draw(
                frames[index], of: bytes, work: DecodingWork(limits: limits, byteCount: bytes.count))
        }
        return DecodedImage(
            plan.result, .onDemand(try source.pixels(at: 0), source), loopCount: outline.loopCount,
            hasAlpha: outline.hasAlpha || !isCovered, damage: damage)
    }
}
