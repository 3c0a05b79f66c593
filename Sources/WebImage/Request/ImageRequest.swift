// SPDX-License-Identifier: MIT
public import HTTPTransport
public import ImageCoding
public import PlatformBasics

/// What to load and how: a URL or a file that the program has, the transformers of the picture, and the priority.
///
/// ```swift
/// let request = ImageRequest(url, transformers: [.resize(to: PixelSize(width: 320, height: 320), mode: .fill)])
/// ```
///
/// A request has two names that are easy to confuse. Requests with one *identity* share a transfer: it is everything
/// that changes the bytes on the wire. Requests with one *cache key* share a stored picture; see ``cacheKey``.
///
/// A value of one word: copies share the fields until one of them is changed.
public struct ImageRequest: Sendable {
    private var fields: Shared<ImageRequestFields>

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The address of the picture.
    ///   - transformers: Applied to the decoded picture in order. None by default.
    ///   - priority: ``ImagePriority/normal`` by default.
    public init(_ url: URL, transformers: [any ImageTransforming] = [], priority: ImagePriority = .normal) {
        fields = Shared(ImageRequestFields(url: url, transformers: transformers, priority: priority))
    }

    /// The URL as a key.
    var urlKey: CacheKey { fields.value.urlKey }

    /// Whether the URL alone decides the bytes.
    var isAnonymous: Bool { fields.value.isAnonymous }

    /// Whether both are copies of one request, unchanged since.
    func isCopy(of other: ImageRequest) -> Bool { fields === other.fields }

    /// The parts and options that replace the manager's own; `nil` for a request that brings none, as most.
    var parts: Shared<RequestParts>? { fields.value.parts }

    /// The same, with the defaults. A copy is large, so a load asks for the part that it needs.
    var partsOrDefaults: RequestParts { parts?.value ?? RequestParts() }

    /// What the program has in place of what the URL would bring.
    var content: ProgramContent? { parts?.value.content }

    /// Puts a file of the program in place of what the URL would bring, under a name that no URL has.
    ///
    /// - Parameter tag: Tells the content from others of the same URL.
    mutating func hold(_ content: ProgramContent, tag: String = "") {
        changeParts { $0.content = content }
        change { $0.urlKey = CacheKey($0.url.textWithoutFragment + "\0own" + tag) }
    }

    /// What is done with the frames of an animation.
    var frameUse: FrameUse { fields.value.frameUse }

    /// Changes the parts.
    mutating func changeParts(_ body: (inout RequestParts) -> Void) {
        var changed = partsOrDefaults
        body(&changed)
        change { $0.parts = Shared(changed) }
    }

    mutating func change(_ body: (inout ImageRequestFields) -> Void) {
        var changed = fields.value
        body(&changed)
        fields = Shared(changed)
    }
}

extension ImageRequest {
    /// The address of the picture: `http` or `https`, or what the loaders of the manager and of the request take.
    ///
    /// For a file that the program has it is a name, which errors and logs show. Another one makes this a request for
    /// that address.
    public var url: URL {
        get { fields.value.url }
        set {
            guard newValue != url else { return }
            if content != nil { changeParts { $0.content = nil } }
            change { $0.url = newValue }
        }
    }

    /// Applied to the decoded picture in order.
    public var transformers: [any ImageTransforming] {
        get { fields.value.transformers }
        set { change { $0.transformers = newValue } }
    }

    /// How urgent the load is: its place in the queue of downloads, and the priority of the work on its pixels.
    ///
    /// It may rise as long as the load lasts. A transfer that runs gets no more of its connection by it.
    public var priority: ImagePriority {
        get { fields.value.priority }
        set { change { $0.priority = newValue } }
    }

    /// Which pictures the load accepts. ``CachePolicy/cacheFirst`` by default.
    public var cachePolicy: CachePolicy {
        get { fields.value.cachePolicy }
        set { change { $0.cachePolicy = newValue } }
    }

    /// The caches that are read. All by default.
    public var cacheReads: CacheAccess {
        get { fields.value.cacheReads }
        set { change { $0.cacheReads = newValue } }
    }

    /// The caches that are filled. All by default.
    public var cacheWrites: CacheAccess {
        get { fields.value.cacheWrites }
        set { change { $0.cacheWrites = newValue } }
    }

    /// The method of the request. `GET` by default.
    public var method: String {
        get { fields.value.method }
        set { change { $0.method = newValue } }
    }

    /// Fields sent in addition to the downloader's own. Empty by default.
    public var headers: HTTPHeaders {
        get { fields.value.headers }
        set { change { $0.headers = newValue } }
    }

    /// The content sent with the request. None by default.
    public var body: [UInt8]? {
        get { fields.value.body }
        set { change { $0.body = newValue } }
    }

    /// Whether an address that failed a short while ago is tried again at once. `false` by default.
    public var retriesFailed: Bool {
        get { fields.value.retriesFailed }
        set { change { $0.retriesFailed = newValue } }
    }

    /// Whether ``ImageManager/events(for:)`` brings pictures of the file while it arrives, and how they are made. None
    /// by default.
    ///
    /// JPEG, PNG, GIF and WebP have previews. The callers of one transfer share them. They are transformed if
    /// ``PreviewOptions/isTransformed`` says so.
    public var previews: PreviewOptions? {
        get { fields.value.previews }
        set { change { $0.previews = newValue } }
    }

    /// Whether the load returns only after its content is on disk. `false` by default: it is written after the caller
    /// has its picture.
    public var waitsForStores: Bool {
        get { fields.value.waitsForStores }
        set { change { $0.waitsForStores = newValue } }
    }

    /// The name under which the original is stored instead of the URL, for example without a signature in the query.
    ///
    /// Set it only when every request with this key gets the same picture, whichever user it is for. It overrides the
    /// guard that keeps pictures of requests with their own headers, method, body or modifier off the disk and apart in
    /// memory.
    public var cacheKey: String? {
        get { fields.value.cacheKey }
        set { change { $0.cacheKey = newValue } }
    }

    /// The caller's own name for the load, such as the id of the request that it answers; its activities carry it. None
    /// by default.
    ///
    /// It changes nothing else: requests with different labels share flights and pictures.
    public var label: String? {
        get { fields.value.label }
        set { change { $0.label = newValue } }
    }
}

extension ImageRequest {
    /// Scheme, host and port in lower case, without the port that the scheme has anyway; empty for a URL without them.
    ///
    /// Read from the text that the request has anyway: asking the URL costs as much as a quarter of a load's start.
    var origin: String {
        var text = urlKey.rawValue
        return text.withUTF8 { bytes in
            guard let slash = unsafe bytes.firstIndex(of: UInt8(ascii: "/")), slash > 1,
                unsafe bytes[slash - 1] == UInt8(ascii: ":")
            else { return "" }
            // Before "/", "?" or "#".
            let authority = unsafe bytes[slash...].dropFirst(2).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
            let user = unsafe authority.lastIndex(of: UInt8(ascii: "@"))
            var origin =
                unsafe user.map {
                    unsafe String(decoding: bytes[..<authority.startIndex], as: UTF8.self)
                        + String(decoding: authority[($0 + 1)...], as: UTF8.self)
                } ?? String(decoding: bytes[..<authority.endIndex], as: UTF8.self)
            if unsafe bytes[..<authority.endIndex].contains(where: { $0 >= 0x80 || 0x41...0x5A ~= $0 }) {
                origin = origin.lowercased()
            }
            let port = unsafe bytes[slash - 2] | 0x20 == UInt8(ascii: "s") ? ":443" : ":80"
            return origin.hasSuffix(port) ? String(origin.dropLast(port.count)) : origin
        }
    }
}

extension ImageRequest {
    /// Whether the events of the load begin with a progress of no bytes, as soon as it waits together with the others
    /// that want the picture.
    package var tellsJoining: Bool {
        get { fields.value.tellsJoining }
        set { change { $0.tellsJoining = newValue } }
    }

    /// What the subscriptions of one load have in common. They share a flight also when it may be tried again; other
    /// callers of such a load have flights of their own.
    package var loadToken: Shared<Void>? {
        get { fields.value.loadToken }
        set { change { $0.loadToken = newValue } }
    }
}

/// The fields of an ``ImageRequest``.
struct ImageRequestFields: Sendable {
    var url: URL { didSet { urlKey = CacheKey(url.textWithoutFragment) } }
    /// The URL as a key, made once because every look into memory needs it.
    fileprivate(set) var urlKey: CacheKey
    var transformers: [any ImageTransforming]
    var priority: ImagePriority
    var cachePolicy: CachePolicy = .cacheFirst
    var cacheReads = CacheAccess.all
    var cacheWrites = CacheAccess.all
    var method = "GET"
    var headers: HTTPHeaders = [:]
    var body: [UInt8]?
    var parts: Shared<RequestParts>?
    var retriesFailed = false
    var frameUse: FrameUse = []
    var waitsForStores = false
    var previews: PreviewOptions?
    var cacheKey: String?
    var label: String?
    var tellsJoining = false
    var loadToken: Shared<Void>?

    init(url: URL, transformers: [any ImageTransforming], priority: ImagePriority) {
        self.url = url
        urlKey = CacheKey(url.textWithoutFragment)
        self.transformers = transformers
        self.priority = priority
    }

    /// Whether the URL alone decides the bytes.
    var isAnonymous: Bool { method == "GET" && headers.isEmpty && body == nil && parts?.value.isDefault != false }
}

/// A value on the heap, so that a copy of what holds it costs one reference however large the value is.
package final class Shared<Value: Sendable>: Sendable {
    let value: Value

    package init(_ value: Value) { self.value = value }
}
