// SPDX-License-Identifier: MIT
public import ImageCoding
import Locks
import TaskCoordination

/// A picture as a file: bytes in a known format, with the size they decode to.
public struct EncodedImage: Sendable {
    /// The file. Reading it is O(1); each change copies it.
    public var bytes: [UInt8] {
        get { content.bytes }
        set { content = Content(newValue) }
    }
    /// The format of the file.
    public var format: ImageFormat
    /// The width in pixels, orientation applied.
    public var width: Int
    /// The height in pixels, orientation applied.
    public var height: Int
    /// The number of frames in the file; 1 for a still picture.
    public var frameCount: Int
    /// Where the picture came from.
    public var source: ImageSource
    /// What the origin said about the original; `nil` when it is unknown.
    public var origin: OriginResponse?
    /// What is wrong with the file that the picture was decoded from; empty when nothing is known.
    ///
    /// For the original, of the file itself; for another one, of the original that it was made from.
    public var damage: ImageDamage = []
    private(set) var content: Content
    /// The number of the transfer that brought or confirmed the content; 0 when it was on disk before.
    var number = 0
    /// The content of the original that the file is, or was made from; `nil` when it is unknown.
    var generation: ContentGeneration?
    /// What happened at the origin; `nil` when ``source`` says it all.
    var facts: LoadFacts?

    /// The media type, for a `Content-Type` field.
    public var contentType: String { format.mimeType }

    /// The strong entity tag of the file, with quotes, for an `ETag` field: 128 bits of its SHA-256.
    ///
    /// Equal bytes have equal tags, today and after a restart. The first caller hashes the bytes for all that share
    /// them, such as those that find one picture in memory; callers that ask meanwhile wait for it.
    ///
    /// - Complexity: O(number of bytes), about a millisecond for a megabyte; O(1) once it is known.
    public var entityTag: String { content.entityTag() }

    /// Creates a value.
    public init(
        bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frameCount: Int, source: ImageSource,
        origin: OriginResponse? = nil
    ) {
        content = Content(bytes)
        self.format = format
        self.width = width
        self.height = height
        self.frameCount = frameCount
        self.source = source
        self.origin = origin
    }

    /// The bytes and their digest, which copies of the file share.
    final class Content: Sendable {
        let bytes: [UInt8]
        private let digest = Mutex<KeyDigest?>(nil)

        /// What it takes beside the bytes, asked for its tag or not.
        static let overhead = HeapSize.allocation(56)

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// - Parameter hash: Computes the digest, under the lock: once, however many callers ask at a time.
        func entityTag(_ hash: ([UInt8]) -> KeyDigest = KeyDigest.init) -> String {
            let digest = digest.withLock { known in
                let digest = known ?? hash(bytes)
                known = digest
                return digest
            }
            return "\"\(digest.fileName)\""
        }
    }

    func from(_ source: ImageSource) -> EncodedImage {
        var copy = self
        copy.source = source
        copy.facts = nil
        return copy
    }

    /// The file of a load whose origin has confirmed it.
    func confirmed(_ origin: OriginResponse?, number: Int, metrics _: LoadMetrics = .init()) -> EncodedImage {
        var copy = self
        copy.origin = origin ?? self.origin
        copy.number = number
        copy.facts = .confirmed
        return copy
    }
}
