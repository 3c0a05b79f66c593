import Foundation
import HTTPTransport
import ImageCoding

/// The file that a picture is made from, and what is known about it. An object, because a load passes it from stage to
/// stage.
final class Original: Sendable {
    private enum Record: Sendable {
        case stored(DiskEntry)
        case sent(Download, for: URL)
    }

    let bytes: [UInt8]
    /// The number of the transfer that brought or confirmed it; 0 for what was on disk before.
    let number: Int
    private let record: Record

    private init(_ bytes: [UInt8], number: Int, _ record: Record) {
        self.bytes = bytes
        self.number = number
        self.record = record
    }

    convenience init(_ entry: DiskEntry) {
        self.init(entry.bytes, number: 0, .stored(entry))
    }

    convenience init(_ download: Download, for url: URL) {
        self.init(download.bytes, number: download.number, .sent(download, for: url))
    }

    /// The same file, after the origin has confirmed that it is still valid.
    func confirmed(by download: Download) -> Original? {
        download.isNotModified ? Original(bytes, number: download.number, record) : nil
    }

    var source: ImageSource {
        switch record {
        case .stored: .disk
        case .sent: .network
        }
    }

    /// What the origin said about it.
    private var metadata: EntryMetadata {
        switch record {
        case .stored(let entry): entry.metadata
        case .sent(let download, let url): EntryMetadata(download, url: url)
        }
    }

    /// The media type that the origin named.
    ///
    /// Not inlined, like the other members that read the metadata: it is large, and would enlarge the frame of every
    /// load.
    @inline(never) var contentType: String? { metadata.contentType }

    /// The fields that ask the origin whether it is still valid.
    @inline(never) var validators: HTTPHeaders { metadata.validators }

    /// The entry to write to disk.
    @inline(never) func entry(_ properties: ImageProperties) -> DiskEntry {
        var metadata = metadata
        metadata.describe(properties)
        return DiskEntry(metadata: metadata, bytes: bytes)
    }

    func encoded(_ properties: ImageProperties) -> EncodedImage {
        EncodedImage(
            bytes: bytes, format: properties.format, width: properties.width, height: properties.height,
            frameCount: properties.frameCount ?? 1, source: source)
    }
}
