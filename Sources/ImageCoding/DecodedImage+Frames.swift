// SPDX-License-Identifier: MIT
extension DecodedImage {
    /// The pixels of the first frame: of a still picture, all of them.
    ///
    /// RGBA, 8 bits a channel, premultiplied; `width * 4` bytes a row, top down. Always in memory.
    public var pixels: [UInt8] {
        switch content {
        case .held(let frames): frames[0].pixels
        case .onDemand(let pixels, _): pixels
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
            let pixels = try index == 0 ? first : source.pixels(at: index)
            guard pixels.count == first.count else {
                throw ImageError(
                    code: .malformed,
                    message: "The source made \(pixels.count) bytes for frame \(index) of \(first.count).")
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
    /// - Throws: What ``frame(at:)`` throws.
    public func loadingAllFrames() throws -> DecodedImage {
        guard makesFramesOnDemand else { return self }
        let frames = try (0..<frameCount).map { index in
            try Task.checkCancellation()
            return try frame(at: index)
        }
        return copy(size, .held(frames), loopCount: loopCount, hasAlpha: hasAlpha)
    }

    /// The first frame alone, as a still picture.
    public var firstFrame: DecodedImage {
        copy(size, .held([Frame(pixels: pixels)]), loopCount: 0, hasAlpha: hasAlpha)
    }

    /// A picture with other pixels, and what this one carries besides.
    private func copy(_ size: PixelSize, _ content: Content, loopCount: Int, hasAlpha: Bool) -> DecodedImage {
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
            mapped = .onDemand(try transform(first), MappedFrames(source, transform))
        }
        return copy(size, mapped, loopCount: loopCount, hasAlpha: hasAlpha ?? self.hasAlpha)
    }
}

/// Frames that are not made.
private struct NoFrames: FrameSource {
    let durations: [Duration]
    var byteCount: Int { 0 }

    func pixels(at index: Int) -> [UInt8] { [] }
}

extension DecodedImage {
    /// A picture of a size without pixels, for estimates.
    static func outline(_ size: PixelSize, frames: Int, hasAlpha: Bool) -> DecodedImage {
        let source = NoFrames(durations: Array(repeating: .zero, count: max(1, frames)))
        return DecodedImage(size, .onDemand([], source), hasAlpha: hasAlpha)
    }
}
