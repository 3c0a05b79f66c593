// SPDX-License-Identifier: MIT
import COpenSSL
import Locks
import PlatformBasics
import SignedAddresses
import TaskCoordination
import WebImage

/// The entity tags of pictures in the memory of the loader, so that a hit hashes no bytes.
///
/// An entry holds the bytes, which it shares with the loader's memory cache. So equal addresses of the bytes mean equal
/// bytes. The oldest entries make room for new ones.
final class PictureTags: Sendable {
    /// What names a file.
    struct Key: Hashable, Sendable {
        private let options: PictureOptions
        fileprivate let source: String
        private let format: OutputFormat

        init(options: PictureOptions, source: URL, format: OutputFormat) {
            (self.options, self.source, self.format) = (options, source.absoluteString, format)
        }
    }

    private struct Tagged {
        let bytes: [UInt8]
        let tag: String
    }

    private let table: Mutex<BoundedTable<Key, Tagged>>

    /// - Parameter byteLimit: The most bytes of pictures and their names, as if nothing else held the pictures.
    init(byteLimit: Int) { table = Mutex(BoundedTable(byteLimit: byteLimit)) }

    /// The bytes of the pictures whose tags are kept, and of their names.
    var byteCount: Int { table.withLock { $0.byteCount } }

    /// Keeps no more than this from now on.
    func setLimit(_ byteLimit: Int) { table.withLock { $0.byteLimit = byteLimit } }

    /// The strong entity tag of a file, with quotes: 128 bits of its SHA-256.
    func tag(of bytes: [UInt8], for key: Key) async -> String {
        let known = table.withLock { $0[key] }
        if let known, known.bytes.sharesStorage(with: bytes) { return known.tag }
        let tag = bytes.count > 65_536 ? await Self.hashElsewhere(bytes) : Self.hash(bytes)
        let heapByteCount = HeapSize.of(bytes) + HeapSize.of(tag) + HeapSize.of(key.source)
        table.withLock { _ = $0.store(Tagged(bytes: bytes, tag: tag), for: key, heapByteCount: heapByteCount) }
        return tag
    }

    @concurrent private static func hashElsewhere(_ bytes: [UInt8]) async -> String { hash(bytes) }

    private static func hash(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 32)
        _ = unsafe SHA256(bytes, bytes.count, &digest)
        return "\"\(Base64URL.encode(Array(digest.prefix(16))))\""
    }
}

extension [UInt8] {
    fileprivate func sharesStorage(with other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in unsafe one.baseAddress == other.baseAddress }
        }
    }
}
