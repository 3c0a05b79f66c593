// SPDX-License-Identifier: MIT
public import ImageCoding

/// How pictures of a file that still arrives are made; see ``ImageRequest/previews``.
public struct PreviewOptions: Sendable, Hashable {
    /// The box that a preview fits into. The file is decoded at this size, which costs a fraction of the whole picture.
    public var size: PixelSize
    /// The shortest time from the end of one preview to the beginning of the next.
    ///
    /// The pause is also at least four times as long as the preview took, so previews use at most a fifth of a core.
    /// Zero, or less, makes a preview for each report of progress, one at a time.
    public var interval: Duration

    /// Creates options.
    ///
    /// - Parameters:
    ///   - size: The box that a preview fits into.
    ///   - interval: The shortest time from the end of one preview to the beginning of the next.
    public init(size: PixelSize = PixelSize(width: 512, height: 512), interval: Duration = .milliseconds(200)) {
        self.size = size
        self.interval = interval
    }

    /// The pause after an attempt. One that has made no picture is followed by a short pause.
    func pause(after took: Duration, isPicture: Bool) -> Duration {
        guard interval > .zero else { return .zero }
        return max(isPicture ? interval : .zero, took * 4)
    }
}
