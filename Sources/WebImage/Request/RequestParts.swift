// SPDX-License-Identifier: MIT
public import HTTPTransport
public import ImageCoding
import PlatformBasics

/// The parts of one request that replace those of the manager. All absent by default.
struct RequestParts: Sendable {
    /// What the program has in place of what the URL would bring.
    var content: ProgramContent?
    var modifier: RequestModifier?
    var responseModifier: ResponseModifier?
    var bodyTransformer: BodyTransformer?
    var serializer: CacheSerializer?
    var loader: Identified<any HTTPLoading>?
    var coders: Identified<ImageCoders>?
    var caches: Identified<ImageCaches>?
    var transfer = HTTPRequest.Options()
    var limits: ImageLimits?
    var failOn = DamagePolicy.truncated
    var byteBudget: Int?
    var keepsColors = false
    var scale = 1.0
    var lifetime = CacheLifetime()
    /// Whether a new original is decoded before it is kept, so that a cache has pictures alone.
    var provesOriginal = true

    var retry: LoadRetry?
    var alternatives: [ImageRequest] = []
    var userInfo: [String: any Sendable] = [:]

    /// Whether a failure of the load may not be its end.
    var triesAgain: Bool { retry != nil || !alternatives.isEmpty }

    /// Whether a part changes the bytes that a transfer brings.
    var changesBytes: Bool {
        modifier != nil || responseModifier != nil || bodyTransformer != nil || serializer != nil || loader != nil
            || transfer.redirectRule != nil
    }

    /// The names of the parts that change the bytes, each with its kind.
    var namesOfBytes: [(kind: String, identity: String)] {
        let names: [(String, String?)] = [
            ("modifier", modifier?.identity), ("response", responseModifier?.identity),
            ("body", bodyTransformer?.identity), ("serializer", serializer?.identity), ("loader", loader?.identity),
            ("redirects", transfer.redirectRule?.identity),
        ]
        return names.compactMap { kind, identity in identity.map { (kind, $0) } }
    }

    /// Whether a part changes the picture that is made of the bytes.
    var changesPicture: Bool { coders != nil || decodesSpecially }

    /// Whether the file is decoded with other options than the defaults.
    var decodesSpecially: Bool { failOn != .truncated || byteBudget != nil || scale != 1 || keepsColors }

    /// A text that differs for different options of decoding.
    var decoding: String {
        "\(failOn.rawValue),\(byteBudget.map(String.init) ?? "-"),\(scale)\(keepsColors ? ",colors" : "")"
    }

    /// Whether nothing here changes which bytes come.
    var isDefault: Bool { !changesBytes && !restrictsTransfer }

    /// Whether some transfer options decide which bytes come, or whether any come. A rule for redirects has a name.
    var restrictsTransfer: Bool {
        var options = transfer.identity
        options.redirectRule = nil
        return options != HTTPRequest.Options()
    }

    /// The credential as it is sent; empty for none, or one that cannot be sent.
    var authorization: String {
        guard let credential = transfer.credential else { return "" }
        return (try? credential.fieldValue()) ?? ""
    }

    /// Whether both keep their pictures in the same caches, as long, have the same limits and accept the same damage.
    /// Strings are equal in different encodings, so the bytes of names are compared.
    func loadsAlike(_ other: RequestParts) -> Bool {
        (caches?.identity).map { Array($0.utf8) } == (other.caches?.identity).map { Array($0.utf8) }
            && limits == other.limits && failOn == other.failOn && lifetime == other.lifetime
            && provesOriginal == other.provesOriginal
    }

    /// Whether both bring the same bytes. Compares the bytes of the names, as the keys of the caches do.
    func bringsSameBytes(as other: RequestParts) -> Bool {
        guard sendsAlike(other) else { return false }
        guard changesBytes || other.changesBytes else { return true }
        return namesOfBytes.elementsEqual(other.namesOfBytes) { one, other in
            one.kind == other.kind && one.identity.utf8.elementsEqual(other.identity.utf8)
        }
    }
}

extension RequestParts {
    /// Whether both are sent with the same options. A priority does not count. Time limits do, because the shorter one
    /// would end the load of the longer one.
    private func sendsAlike(_ other: RequestParts) -> Bool {
        // Strings are equal in different encodings, which an origin tells apart.
        guard authorization.utf8.elementsEqual(other.authorization.utf8) else { return false }
        var (one, other) = (transfer, other.transfer)
        (one.priority, other.priority) = (.normal, .normal)
        return one == other
    }
}

extension ImageRequest {
    /// Limits and policies of the transfer, in place of the transport's: time limits, the largest body, trusted
    /// certificates, allowed addresses, a credential, cookies, a rule for redirects, accepted statuses and types.
    ///
    /// A longer time limit than the transport's lets a large picture come over a slow connection. Requests with
    /// different options share no transfer. A request with other options than time limits and a rule for redirects is
    /// kept off the disk, unless ``cacheKey`` names its picture.
    public var transfer: HTTPRequest.Options {
        get { parts?.value.transfer ?? HTTPRequest.Options() }
        set { changeParts { $0.transfer = newValue } }
    }

    /// The largest pictures that are decoded for this request, instead of the manager's
    /// ``ImageManager/Configuration/limits``.
    public var limits: ImageLimits? {
        get { parts?.value.limits }
        set { changeParts { $0.limits = newValue } }
    }

    /// Which damage of a file makes the load fail. `DamagePolicy.truncated` by default: a picture has all its pixels.
    ///
    /// Damage of a later frame that is decoded on demand shows when the frame is asked for.
    public var failOn: DamagePolicy {
        get { parts?.value.failOn ?? .truncated }
        set { changeParts { $0.failOn = newValue } }
    }

    /// The largest decoded picture, in bytes, all frames that are held together. A larger picture is made smaller
    /// instead of refused. `nil`, the default, leaves it as it is.
    ///
    /// An animation whose frames take more together has its frames on demand, of which one counts.
    public var byteBudget: Int? {
        get { parts?.value.byteBudget }
        set { changeParts { $0.byteBudget = newValue } }
    }

    /// Whether pixels keep the colours of an ICC profile that an encoder can write, as
    /// `EncodedFormat.keeping(.colorProfile)` does. `false` by default: pictures are sRGB.
    public var keepsColors: Bool {
        get { parts?.value.keepsColors ?? false }
        set { changeParts { $0.keepsColors = newValue } }
    }

    /// The number of pixels to a point of a screen, which the picture carries. 1 by default; changes no pixel.
    public var scale: Double {
        get { parts?.value.scale ?? 1 }
        set { changeParts { $0.scale = newValue } }
    }

    /// How long the caches keep what the load stores. As their own limits say by default.
    public var lifetime: CacheLifetime {
        get { parts?.value.lifetime ?? CacheLifetime() }
        set { changeParts { $0.lifetime = newValue } }
    }

    /// Changes the request before it is sent. None by default.
    public var modifier: RequestModifier? {
        get { parts?.value.modifier }
        set { changeParts { $0.modifier = newValue } }
    }

    /// Changes the head of the response. The manager's ``ImageManager/Hooks/responseModifier`` by default.
    public var responseModifier: ResponseModifier? {
        get { parts?.value.responseModifier }
        set { changeParts { $0.responseModifier = newValue } }
    }

    /// Changes the bytes before they are decoded and stored. The manager's ``ImageManager/Hooks/bodyTransformer`` by
    /// default.
    public var bodyTransformer: BodyTransformer? {
        get { parts?.value.bodyTransformer }
        set { changeParts { $0.bodyTransformer = newValue } }
    }

    /// Makes the bytes that the disk keeps of the original. The manager's ``ImageManager/Hooks/cacheSerializer`` by
    /// default.
    public var cacheSerializer: CacheSerializer? {
        get { parts?.value.serializer }
        set { changeParts { $0.serializer = newValue } }
    }

    /// Moves the bytes instead of the manager's transport. The manager does not shut it down.
    public var loader: Identified<any HTTPLoading>? {
        get { parts?.value.loader }
        set { changeParts { $0.loader = newValue } }
    }

    /// Decodes and encodes instead of the manager's coders.
    public var coders: Identified<ImageCoders>? {
        get { parts?.value.coders }
        set { changeParts { $0.coders = newValue } }
    }

    /// Keeps the content instead of the manager's caches. The manager does not shut them down.
    public var caches: Identified<ImageCaches>? {
        get { parts?.value.caches }
        set { changeParts { $0.caches = newValue } }
    }
}

extension ImageRequest {
    /// The scale that the address names: 2 for `@2x.` as in `photo@2x.jpg`, and 3 for `@3x.`, also where the `@` is
    /// escaped; else 1.
    ///
    /// ``scale`` does not follow it by itself, because the same bytes would have two names in the caches.
    ///
    /// - Source: SDWebImage 5.21, `SDImageScaleFactorForKey`.
    /// - Complexity: O(length).
    public var scaleInName: Double { Self.scale(inName: url.absoluteString) }

    static func scale(inName name: String) -> Double {
        guard name.utf16.count >= 8 else { return 1 }
        let isURL = name.hasPrefix("http://") || name.hasPrefix("https://")
        for (mark, scale) in [("2x.", 2.0), ("3x.", 3.0)] {
            if name.utf8.contains("@\(mark)".utf8) || (isURL && name.utf8.contains("%40\(mark)".utf8)) { return scale }
        }
        return 1
    }
}
