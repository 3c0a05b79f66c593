import Foundation
import HTTPTransport
import ImageCoding

/// The fields of an ``ImageRequest``.
struct ImageRequestFields: Sendable {
    var url: URL { didSet { urlKey = CacheKey(url.absoluteString) } }
    /// The URL as a key, made once because every look into memory needs it.
    private(set) var urlKey: CacheKey
    var transformers: [any ImageTransforming]
    var priority: ImagePriority
    var cachePolicy: CachePolicy = .cacheFirst
    var cacheReads: CacheTiers = .all
    var cacheWrites: CacheTiers = .all
    var method = "GET"
    var headers: HTTPHeaders = [:]
    var body: [UInt8]?
    var modifier: RequestModifier?
    var retriesFailed = false
    var firstFrameOnly = false
    var cacheKey: String?

    init(url: URL, transformers: [any ImageTransforming], priority: ImagePriority) {
        self.url = url
        urlKey = CacheKey(url.absoluteString)
        self.transformers = transformers
        self.priority = priority
    }

    /// Whether the URL alone decides the bytes.
    var isAnonymous: Bool { method == "GET" && headers.isEmpty && body == nil && modifier == nil }
}
