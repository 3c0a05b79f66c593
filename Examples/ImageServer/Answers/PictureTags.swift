// SPDX-License-Identifier: MIT
import COpenSSL
import Foundation
import Synchronization
import WebImage

/// The entity tags of pictures in the memory of the loader, so that a hit hashes no bytes.
///
/// An entry holds the bytes, which it shares with the loader's memory cache. So equal addresses of the bytes mean equal
/// bytes. The oldest entries make room for new ones.
final class PictureTags: Sendable {
    /// What names a file.
    struct Key: Hashable, Sendable {
        let options: PictureOptions
        let source: URL
        let format: OutputFormat
    }

    private struct State {
        var tags: [Key: (bytes: [UInt8], tag: String)] = [:]
        var order: [Key] = []
        var first = 0
        var byteCount = 0
    }

    private let state = Mutex(State())
    private let byteLimit: Int

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// The bytes of the pictures whose tags are kept.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// The strong entity tag of a file, with quotes: 128 bits of its SHA-256.
    func tag(of bytes: [UInt8], for key: Key) async -> String {
        let known = state.withLock { $0.tags[key] }
        if let known, known.bytes.sharesStorage(with: bytes) { return known.tag }
        let tag = bytes.count > 65_536 ? await Self.hashElsewhere(bytes) : Self.hash(bytes)
        state.withLock { keep(bytes, tag, for: key, &$0) }
        return tag
    }

    private func keep(_ bytes: [UInt8], _ tag: String, for key: Key, _ state: inout State) {
        if let old = state.tags.updateValue((bytes, tag), forKey: key) {
            state.byteCount -= old.bytes.count
        } else {
            state.order.append(key)
        }
        state.byteCount += bytes.count
        while state.byteCount > byteLimit, state.first < state.order.count {
            let oldest = state.order[state.first]
            state.first += 1
            state.byteCount -= state.tags.removeValue(forKey: oldest)?.bytes.count ?? 0
        }
        if state.first > 1_000, state.first * 2 > state.order.count {
            state.order.removeFirst(state.first)
            state.first = 0
        }
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
