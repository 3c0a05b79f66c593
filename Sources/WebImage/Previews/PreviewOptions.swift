// SPDX-License-Identifier: MIT
public import ImageCoding

/// How pictures of a file that still arrives are made; see ``ImageRequest/previews``.
public struct PreviewOptions: Sendable, Hashable {
    /// The box that a preview fits into. The file is decoded at this size, which costs a fraction of the whole picture.
    public var size: PixelSize
    /// The shortest time from the end of one preview to the beginning of the next.
    ///
    /// The pause is also at least four times as long as the preview took, so the previews of one transfer with equal
    /// options use at most a fifth of a core. Requests with other options have previews of their own beside them.
    /// Zero, or less, makes a preview for each report of progress, one at a time.
    public var interval: Duration
    /// Whether previews pass through the transformers of the request, as the picture does. `false` by default.
    ///
    /// They have the size of the picture then, in place of ``size``: without a resize that comes first, each preview
    /// takes as much work as the picture. There are none where a transformer is a ``PreparingTransformer``. A file that
    /// may be an animation is left as it is, as ``ImageRequest/transformsAnimations`` says, but for a resize that comes
    /// first.
    public var isTransformed = false
    /// What is shown of the files of a format; nothing of one with an empty set. The scans of formats that are not
    /// named, or the parts of a file without scans.
    ///
    /// ```swift
    /// options.contents = [.jpeg: [.scans], .png: []]
    /// ```
    public var contents: [ImageFormat: Set<PreviewContent>] = [:]
    /// The picture that transformed previews become, so that only its callers share them.
    var picture: CacheKey?

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

    /// What is shown of a file.
    func content(of bytes: [UInt8]) -> Set<PreviewContent> {
        ImageFormat(sniffing: bytes).flatMap { contents[$0] } ?? [.scans, .parts]
    }
}

/// What the previews of a file may show.
public enum PreviewContent: Sendable, Hashable, CaseIterable {
    /// The whole canvas, sharper with each scan: of a JPEG of several scans.
    case scans
    /// What has arrived of the canvas, or of the frames of an animation. What is missing is grey in a JPEG and clear in
    /// other formats.
    case parts
}
