// SPDX-License-Identifier: MIT
import WebImage

extension ImageRequest {
    /// Whether a picture in memory may be shown at once, as the final or as the cached picture.
    var mayShowMemory: Bool {
        guard cacheReads.variant.contains(.memory) else { return false }
        return switch cachePolicy {
        case .cacheFirst, .onlyIfCached, .refreshCached: true
        case .http, .revalidate, .reload: false
        }
    }

    /// Whether the request asks the origin even when it has a picture.
    var asksOrigin: Bool {
        switch cachePolicy {
        case .cacheFirst, .onlyIfCached: false
        case .http, .revalidate, .refreshCached, .reload: true
        }
    }

    /// Whether a transfer that `other` started also brings the picture of this request, in the same way. Rules for other
    /// attempts cannot be compared.
    func canAdoptTransfer(of other: ImageRequest) -> Bool {
        !triesAgain && !other.triesAgain && loadsAlike(other) && retriesFailed == other.retriesFailed
            && previews == other.previews && PictureIdentity(self) == PictureIdentity(other)
    }
}
