// SPDX-License-Identifier: MIT
public import ImageCoding

/// The progress of a body.
public struct LoadProgress: Sendable, Hashable {
    /// The bytes received so far, after decompression.
    public var receivedByteCount: Int
    /// The announced length, if the origin announced one that counts the same bytes.
    public var expectedByteCount: Int?
    /// The bytes themselves, for a preview; `nil` where there are none. Not part of equality.
    public var received: ReceivedBytes?

    /// Creates a value.
    public init(receivedByteCount: Int, expectedByteCount: Int?, received: ReceivedBytes? = nil) {
        self.receivedByteCount = receivedByteCount
        self.expectedByteCount = expectedByteCount
        self.received = received
    }

    /// The part that has arrived, 0 to 1, or `nil` when the length is unknown.
    public var fraction: Double? {
        guard let expectedByteCount, expectedByteCount > 0 else { return nil }
        return min(1, Double(receivedByteCount) / Double(expectedByteCount))
    }

    /// Whether both have received and expect equally many bytes.
    public static func == (one: LoadProgress, other: LoadProgress) -> Bool {
        one.receivedByteCount == other.receivedByteCount && one.expectedByteCount == other.expectedByteCount
    }

    /// Hashes the numbers of bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(receivedByteCount)
        hasher.combine(expectedByteCount)
    }
}

/// A step in the life of one load, in order; ``finished(_:)`` is the last.
public enum ImageEvent: Sendable {
    /// Bytes arrived. A slow reader sees only the newest.
    case progress(LoadProgress)
    /// A preview of a picture that is still arriving, if the request asks for ``ImageRequest/previews``. A slow reader
    /// may miss some.
    case preview(DecodedImage)
    /// The cached picture, while the origin is being asked for a newer one.
    case cached(ImageResponse)
    /// The picture.
    case finished(ImageResponse)
}
