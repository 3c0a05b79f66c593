// SPDX-License-Identifier: MIT
import PlatformBasics

/// The content of a request: bytes in memory, a file, or a stream.
///
/// Files and streams are read while they are sent and never wholly in memory. They are read again when a redirect or a
/// challenge repeats the request.
public struct HTTPContent: Sendable, Hashable {
    enum Source: Sendable, Hashable {
        case bytes([UInt8])
        case file(path: String)
        case parts([Source])
        case stream(ContentStream)
    }

    let source: Source

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> HTTPContent { HTTPContent(source: .bytes(bytes)) }

    /// A regular file, opened when the request is sent. The length that it has then is sent.
    public static func file(at path: String) -> HTTPContent { HTTPContent(source: .file(path: path)) }

    /// The chunks of a sequence.
    ///
    /// A stream is equal to itself and its copies only.
    /// - Parameters:
    ///   - byteCount: The number of bytes, if known. A sequence with another number fails the request. Without it the
    ///     content is sent in chunks, which some origins refuse.
    ///   - make: Makes the sequence from its beginning, once for each time that the request is sent. The sequence must
    ///     end when its task is cancelled.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        byteCount: Int? = nil, _ make: @escaping @Sendable () -> Chunks
    ) -> HTTPContent where Chunks.Element == [UInt8] {
        HTTPContent(source: .stream(ContentStream { HTTPBody(make(), expectedByteCount: byteCount) }))
    }
}

/// A sequence that can be made again.
final class ContentStream: Sendable, Hashable {
    let make: @Sendable () -> HTTPBody

    init(_ make: @escaping @Sendable () -> HTTPBody) { self.make = make }

    static func == (left: ContentStream, right: ContentStream) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
