import Foundation
import WebImageBinding

/// A picture of the gallery.
struct Item: Sendable {
    let url: URL
    let name: String
    /// The name in the caches, if the address differs in the next run.
    var cacheKey: String?

    func request(_ box: PixelSize, _ policy: CachePolicy = .cacheFirst) -> ImageRequest {
        var request = ImageRequest(url, transformers: [.resize(to: box, mode: .fit)])
        request.cacheKey = cacheKey
        request.cachePolicy = policy
        return request
    }
}
