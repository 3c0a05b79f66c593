// SPDX-License-Identifier: MIT
extension DecodedImage {
    /// The pixels of the first frame: of a still picture, all of them.
    ///
    /// RGBA, 8 bits a channel, premultiplied; `width * 4` bytes a row, top down. In memory, but in the animation that
    /// ``ImageCoders/transcode(_:as:transformers:options:)`` gives to transformers: there they are made again.
    public var pixels: [UInt8] {
        switch content {
        case .held(let frames): frames[0].pixels
        case .onDemand(let first, _):
            // The frame was made before, so this fails only when the work on it is cancelled.
            first ?? (try? frame(at: 0).pixels) ?? [UInt8](repeating: 0, count: size.bitmapByteCount)
        }
    }

    /// The number of frames, at least one.
    ///
    /// - Complexity: O(1).
    public var frameCount: Int {
        switch content {
        case .held(let frames): frames.count
        case .onDemand(_, let source): source.durations.count
        }
    }

    /// How long each frame is shown; `.zero` in a still picture.
    public var durations: [Duration] {
        switch content {
        case .held(let frames): frames.map(\.duration)
        case .onDemand(_, let source): source.durations
        }
    }

    /// Whether frames are made when they are asked for, so that ``frame(at:)`` may take long and may fail.
    public var makesFramesOnDemand: Bool {
        if case .onDemand = content { true } else { false }
    }

    /// The frames that are made on demand; `nil` for frames in memory.
    var frameBuffer: FrameBuffer? {
        if case .onDemand(_, let source) = content { source as? FrameBuffer } else { nil }
    }

    /// One frame, from memory or made now.
    ///
    /// Blocks its thread while a source makes the frame; run it on a thread that may block if ``makesFramesOnDemand``
    /// is set. Forward from frame to frame is cheapest.
    ///
    /// **Cancellation**: checked while the frame is made; throws `CancellationError`.
    ///
    /// - Parameter index: 0 for the first frame.
    /// - Throws: ``ImageError`` with `.invalidRequest` for an index without a frame; what the source throws, which is
    ///   never thrown for frames in memory.
    public func frame(at index: Int) throws -> Frame {
        guard (0..<frameCount).contains(index) else {
            throw ImageError(code: .invalidRequest, message: "There are \(frameCount) frames, and none at \(index).")
        }
        switch content {
        case .held(let frames): return frames[index]
        case .onDemand(let first, let source):
            let pixels = try index == 0 ? first ?? source.pixels(at: 0) : source.pixels(at: index)
            guard pixels.count == size.bitmapByteCount else {
                throw ImageError(
                    code: .malformed,
                    message: "The source made \(pixels.count) bytes for frame \(index) of \(size.bitmapByteCount).")
            }
            return Frame(pixels: pixels, duration: source.durations[index])
        }
    }

    /// The picture with all of its frames in memory.
    ///
    /// Blocks its thread if ``makesFramesOnDemand`` is set.
    ///
    /// **Cancellation**: checked between frames; throws `CancellationError`.
    ///
    /// - Throws: What ``frame(at:)`` throws, but for a damaged frame if ``FrameSource/endsAtDamage`` is set.
    public func loadingAllFrames() throws -> DecodedImage {
        guard makesFramesOnDemand else { return self }
        var frames = [Frame]()
        try forEachFrame { frames.append($1) }
        let missing: ImageDamage = frames.count < frameCount ? [.missingPixels, .corruptData] : []
        return copy(size, .held(frames), loopCount: loopCount, hasAlpha: hasAlpha, damage.union(missing))
    }

    /// Goes through the frames in order, one at a time, as an encoder does.
    ///
    /// A frame that is made on demand is there for its call alone. Before a damaged one it ends, without an error, if
    /// ``FrameSource/endsAtDamage`` is set: then `body` gets fewer than ``frameCount`` frames, at least one.
    ///
    /// **Cancellation**: checked between frames; throws `CancellationError`.
    ///
    /// - Parameter body: Gets the index of a frame, and the frame.
    /// - Throws: What ``frame(at:)`` and `body` throw.
    public func forEachFrame(_ body: (Int, Frame) throws -> Void) throws {
        var endsAtDamage = false
        if case .onDemand(_, let source) = content { endsAtDamage = source.endsAtDamage }
        for index in 0..<frameCount {
            try Task.checkCancellation()
            let next: Frame
            do { next = try frame(at: index) } catch let error as ImageError
                where endsAtDamage && index > 0 && error.isDamage
            { return }
            try body(index, next)
        }
    }

    /// Makes something of the picture, and tells what was wrong with the frames that this took.
    ///
    /// An animation that ends before a damaged frame gives no error, only fewer frames: see ``forEachFrame(_:)``.
    package func notingDamage<Value>(
        _ make: (DecodedImage) throws -> Value
    ) rethrows -> (value: Value, damage: ImageDamage) {
        guard case .onDemand(let first, let source) = content, source.endsAtDamage else {
            return (try make(self), damage)
        }
        let noting = MappedFrames(source)
        let value = try make(copy(size, .onDemand(first, noting), loopCount: loopCount, hasAlpha: hasAlpha))
        return (value, noting.hasDamage ? damage.union([.missingPixels, .corruptData]) : damage)
    }

    /// An animation without its first frame in memory: it is made again when it is asked for.
    ///
    /// So an animation on its way into a file takes one frame less, when nothing else holds the picture.
    package func releasingFirstFrame() -> DecodedImage {
        guard case .onDemand(_, let source) = content else { return self }
        return copy(size, .onDemand(nil, source), loopCount: loopCount, hasAlpha: hasAlpha)
    }

    /// The first frame alone, as a still picture.
    public var firstFrame: DecodedImage {
        copy(size, .held([Frame(pixels: pixels)]), loopCount: 0, hasAlpha: hasAlpha)
    }

    /// A picture with other pixels, and what this one carries besides.
    private func copy(
        _ size: PixelSize, _ content: Content, loopCount: Int, hasAlpha: Bool, _ damage: ImageDamage? = nil
    ) -> DecodedImage {
        let damage = damage ?? self.damage
        var image = DecodedImage(size, content, loopCount: loopCount, hasAlpha: hasAlpha, damage: damage)
        image.scale = scale
        image.metadata = metadata
        return image
    }
}

extension DecodedImage {
    /// The picture with the pixels of each frame changed: what an ``ImageTransforming`` of one's own returns.
    ///
    /// Timing, scale, metadata and damage stay. Of frames that are made on demand this call changes the first one; each
    /// other one is changed when it is made.
    ///
    /// **Cancellation**: checked between frames; throws `CancellationError`. A long `transform` checks for itself.
    ///
    /// - Parameters:
    ///   - size: The size of the result; `nil` for the same size.
    ///   - hasAlpha: Whether a pixel of the result may be transparent; `nil` for as before.
    ///   - transform: Makes the new pixels of a frame from the old ones, both as in ``Frame/pixels``:
    ///     `size.width * size.height * 4` bytes. It may be called on any thread, also for several frames at a time.
    /// - Throws: ``ImageError`` with `.invalidRequest` when a frame gets another number of bytes; what `transform`
    ///   throws.
    public func mapFrames(
        to size: PixelSize? = nil, hasAlpha: Bool? = nil, _ transform: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) throws -> DecodedImage {
        let size = size ?? self.size
        let transform = { @Sendable (pixels: [UInt8]) throws -> [UInt8] in
            try Task.checkCancellation()
            let pixels = try transform(pixels)
            try DecodedImage.check(size, 0, [pixels.count])
            return pixels
        }
        let mapped: Content
        switch content {
        case .held(let frames):
            mapped = .held(try frames.map { Frame(pixels: try transform($0.pixels), duration: $0.duration) })
        case .onDemand(let first, let source):
            let frames = MappedFrames(source, inputByteCount: self.size.bitmapByteCount, transform)
            mapped = .onDemand(try first.map(transform), frames)
        }
        return copy(size, mapped, loopCount: loopCount, hasAlpha: hasAlpha ?? self.hasAlpha)
    }
}

extension DecodedImage {
    /// A picture of a size without pixels, for estimates.
    static func outline(_ size: PixelSize, frames: Int, hasAlpha: Bool) -> DecodedImage {
        let source = PlannedFrames(durations: Array(repeating: .zero, count: max(1, frames)))
        return DecodedImage(size, .onDemand(nil, source), hasAlpha: hasAlpha)
    }
}
