import WebImage

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
