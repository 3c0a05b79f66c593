// SPDX-License-Identifier: MIT
public import PlatformBasics

/// Something that happened to one load.
public struct LoadActivity: Sendable {
    /// What happened.
    public enum Kind: Sendable {
        /// A transfer waits for a free download slot.
        case queued
        /// The transfer has its slot, after this time in the queue.
        case started(waited: Duration)
        /// The head of the response is there, this long after the start.
        case firstByte(after: Duration)
        /// More of the body is there.
        case progress(LoadProgress)
        /// A cache had the picture, or what it is made from.
        case cacheHit(ImageSource)
        /// The file waits for this much of the memory for pictures before it is decoded, transformed or encoded.
        case waitingForMemory(byteCount: Int)
        /// The picture is decoded and transformed.
        case decoded(width: Int, height: Int, took: Duration)
        /// An entry was not written to disk, because too much waits to be written, or the store refused it.
        case writeDropped(CacheKey)
        /// The manager's own disk cache does not work; told when its ``DiskCache/Configuration/onWarning`` is called.
        case cacheFailed(CacheError)
        /// The picture was handed to the disk cache, with this many bytes.
        case stored(byteCount: Int)
        /// A caller has its picture, this long after its call.
        case finished(ImageSource, took: Duration)
        /// A caller was cancelled.
        case cancelled
        /// A caller got an error.
        case failed(ImageLoadError)
    }

    /// The address of the picture; `nil` for a dropped write, which has a key, and for a cache that does not work.
    public let url: URL?
    /// The ``ImageRequest/label`` of the call. What a flight does for several callers has the label of the call that
    /// began it.
    public let label: String?
    /// What happened.
    public let kind: Kind
}

extension LoadActivity: CustomStringConvertible {
    /// The kind and the address.
    public var description: String { "\(kind) \(url?.absoluteString ?? "")" }
}
