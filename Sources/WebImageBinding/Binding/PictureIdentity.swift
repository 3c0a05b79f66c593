import Foundation
import HTTPTransport
import ImageCoding

/// Everything that decides which picture a request asks for; not how urgently, nor from where.
///
/// Names are keys, which are compared by their bytes.
struct PictureIdentity: Hashable {
    private let request: HTTPRequest
    private let modifier: CacheKey?
    private let cacheKey: CacheKey?
    private let firstFrameOnly: Bool
    private let transformers: [CacheKey]

    init(_ request: ImageRequest) {
        self.request = HTTPRequest(
            url: request.url, method: request.method, headers: request.headers, body: request.body)
        modifier = request.modifier.map { CacheKey($0.identity) }
        cacheKey = request.cacheKey.map { CacheKey($0) }
        firstFrameOnly = request.firstFrameOnly
        transformers = request.transformers.map { CacheKey($0.key) }
    }
}

extension ImageRequest {
    /// Whether what is in memory may be shown at once, as the picture or as the one before it.
    var mayShowMemory: Bool {
        guard cacheReads.contains(.memory) else { return false }
        return switch cachePolicy {
        case .cacheFirst, .onlyIfCached, .refreshCached: true
        case .revalidate, .reload: false
        }
    }

    /// Whether a picture that is there already is not good enough.
    var asksOrigin: Bool {
        switch cachePolicy {
        case .cacheFirst, .onlyIfCached: false
        case .revalidate, .refreshCached, .reload: true
        }
    }

    /// Whether a transfer that `other` started brings this request its picture too.
    func canAdoptTransfer(of other: ImageRequest) -> Bool {
        cachePolicy == other.cachePolicy && cacheReads == other.cacheReads && cacheWrites == other.cacheWrites
            && retriesFailed == other.retriesFailed && PictureIdentity(self) == PictureIdentity(other)
    }
}
