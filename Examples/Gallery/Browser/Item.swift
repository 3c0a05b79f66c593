// SPDX-License-Identifier: MIT
import Foundation
import WebImageBinding

/// A picture of the gallery.
struct Item: Sendable {
    let url: URL
    let name: String
    /// The name in the caches, if the address differs in the next run.
    var cacheKey: String?

    /// - Parameters:
    ///   - box: The pixels that the picture fits into, also its previews.
    ///   - policy: Which pictures are accepted.
    ///   - previewInterval: The shortest pause between two previews.
    func request(
        _ box: PixelSize, _ policy: CachePolicy = .cacheFirst, previewInterval: Duration = .milliseconds(200)
    ) -> ImageRequest {
        var request = ImageRequest(url, transformers: [.resize(to: box, mode: .fit)])
        request.cacheKey = cacheKey
        request.cachePolicy = policy
        request.previews = PreviewOptions(size: box, interval: previewInterval)
        return request
    }
}
