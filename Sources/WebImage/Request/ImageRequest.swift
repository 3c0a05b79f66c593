public import Foundation
public import HTTPTransport
public import ImageCoding

/// What to load and how: a URL, what to do to the picture, and how urgent it is.
///
/// ```swift
/// let request = ImageRequest(url, transformers: [.resize(to: PixelSize(width: 320, height: 320), mode: .fill)])
/// ```
///
/// A request has two names that are easy to confuse. Its *identity* decides who shares a transfer: everything that
/// changes the bytes on the wire. Its *cache key* decides who shares a stored picture; see ``cacheKey``.
public struct ImageRequest: Sendable {
    /// Where the picture is. `http` and `https` only.
    public var url: URL { didSet { urlKey = CacheKey(url.absoluteString) } }
    /// The URL as a key, made once because every look into memory needs it.
    private(set) var urlKey: CacheKey
    /// Applied to the decoded picture in order.
    public var transformers: [any ImageTransforming]
    /// How urgent the load is.
    public var priority: ImagePriority
    /// Which answer is accepted. ``CachePolicy/cacheFirst`` by default.
    public var cachePolicy: CachePolicy = .cacheFirst
    /// The caches that are asked. Both by default.
    public var cacheReads: CacheTiers = .all
    /// The caches that are filled. Both by default.
    public var cacheWrites: CacheTiers = .all
    /// The method of the request. `GET` by default.
    public var method: String = "GET"
    /// Fields sent in addition to the downloader's own. Empty by default.
    public var headers: HTTPHeaders = [:]
    /// The content sent with the request. None by default.
    public var body: [UInt8]?
    /// Changes the request before it is sent. None by default.
    public var modifier: RequestModifier?
    /// Whether an address that failed a short while ago is tried again at once. `false` by default.
    public var retriesFailed = false
    /// Whether only the first frame of an animation is decoded. `false` by default.
    public var firstFrameOnly = false
    /// The name under which the original is stored instead of the URL, for example without a signature in the query.
    ///
    /// Set it only when every request with this key gets the same picture, whoever asks: it overrules the guard that
    /// keeps requests with own headers, method, body or modifier out of each other's cache and off the disk.
    public var cacheKey: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: Where the picture is.
    ///   - transformers: Applied to the decoded picture in order. None by default.
    ///   - priority: ``ImagePriority/normal`` by default.
    public init(_ url: URL, transformers: [any ImageTransforming] = [], priority: ImagePriority = .normal) {
        self.url = url
        urlKey = CacheKey(url.absoluteString)
        self.transformers = transformers
        self.priority = priority
    }
}
