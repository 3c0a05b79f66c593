// SPDX-License-Identifier: MIT
/// A picture for a target.
public struct BoundPicture: Sendable {
    /// How final a picture is.
    public enum Stage: Sendable, Hashable, CaseIterable {
        /// A preview of a picture that is still arriving.
        case preview
        /// The cached picture, while the origin is asked for a newer one.
        case cached
        /// The picture.
        case final
    }

    /// The picture.
    public let image: DecodedImage
    /// How final it is.
    public let stage: Stage

    /// Where it came from.
    ///
    /// A preview comes from the network.
    public let source: ImageSource
    /// The response of the loader; `nil` for a preview and for a picture taken from memory in the same turn.
    public let response: ImageResponse?

    init(_ image: DecodedImage, _ stage: Stage, _ source: ImageSource, response: ImageResponse? = nil) {
        self.image = image
        self.stage = stage
        self.source = source
        self.response = response
    }

    init(_ response: ImageResponse, _ stage: Stage) {
        self.init(response.image, stage, response.source, response: response)
    }
}

/// How a bound load ended.
///
/// There is exactly one for each load.
public enum LoadOutcome: Sendable {
    /// With a picture, shown unless ``BindingOptions/showsPictures`` is off.
    case finished(BoundPicture)
    /// With an error, usually an `ImageLoadError`.
    case failed(any Error)
    /// It was cancelled, replaced by another load of the slot, or its target or binding is gone.
    case cancelled
    /// There was nothing to load: no URL.
    case noRequest

    /// The picture, when there is one.
    public var picture: BoundPicture? {
        if case .finished(let picture) = self { picture } else { nil }
    }

    /// Whether the load was cancelled.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}
