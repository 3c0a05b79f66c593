// SPDX-License-Identifier: MIT
import TaskCoordination

/// Everything that changes the bytes an origin sends. Equal identities share one transfer.
///
/// The URL alone would give one tenant's picture to another. Credentials and cookies are in the URL, the fields or the
/// modifier; the transport keeps no cookies itself.
struct RequestIdentity: Sendable, Hashable {
    private let request: ImageRequest

    init(_ request: ImageRequest) { self.request = request }

    /// Compares bytes, as the keys of the caches do: requests that share a transfer have the same
    /// ``ImageRequest/transferKey``.
    static func == (one: RequestIdentity, other: RequestIdentity) -> Bool {
        let (one, other) = (one.request, other.request)
        if one.isCopy(of: other) { return true }
        return one.urlKey == other.urlKey && areSame(one.method, other.method) && one.headers == other.headers
            && one.body == other.body
            && (one.parts == nil && other.parts == nil
                || one.partsOrDefaults.bringsSameBytes(as: other.partsOrDefaults))
    }

    private static func areSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// What the identity keeps on the heap, in bytes.
    var heapByteCount: Int { HeapSize.of(request) }

    /// Hashes the parts that differ between most requests: pictures and tenants.
    func hash(into hasher: inout Hasher) {
        hasher.combine(request.urlKey)
        guard !request.isAnonymous else { return }
        hasher.combine(request.headers)
        hasher.combine(request.modifier?.identity)
    }
}

/// The picture that a request asks for, without the priority and the caches. Equal identities have the same pixels.
///
/// The identity of the transfer is part of it although the name usually covers it: two requests may set one cache key
/// and still carry different credentials.
package struct PictureIdentity: Sendable, Hashable {
    /// The name of the picture in the caches.
    let name: CacheKey
    let transfer: RequestIdentity

    package init(_ request: ImageRequest) { self.init(request, name: request.variantKey) }

    init(_ request: ImageRequest, name: CacheKey) {
        self.name = name
        transfer = RequestIdentity(request)
    }

    /// Hashes the name alone: it differs nearly always when the transfers do.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The key of a flight of the manager. Requests for the same picture with the same options share a flight.
struct LoadKey: Sendable, Hashable, CustomStringConvertible {
    private let picture: PictureIdentity
    let request: ImageRequest
    /// Tells the load of one caller from all others; `nil` for a load that callers share.
    private let caller: Shared<Void>?

    /// - Parameters:
    ///   - variant: The name of the picture, or of the file, in the caches.
    ///   - caller: The caller whose load it is alone.
    init(_ request: ImageRequest, variant: CacheKey, of caller: Shared<Void>? = nil) {
        self.request = request
        picture = PictureIdentity(request, name: variant)
        self.caller = caller
    }

    /// The name of the picture, or of the file, in the caches.
    var variant: CacheKey { picture.name }
    /// Whether HTTP's rules decide about the load.
    var isRuled: Bool { request.cachePolicy == .http }
    /// The identity of the transfer that the load may need.
    var transfer: RequestIdentity { picture.transfer }

    static func == (one: LoadKey, other: LoadKey) -> Bool {
        one.caller === other.caller && one.asksForSame(as: other)
    }

    /// Whether both loads are the same, also if each is that of one caller.
    func asksForSame(as other: LoadKey) -> Bool {
        picture == other.picture && request.loadsAlike(other.request)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(picture)
        if let caller { hasher.combine(ObjectIdentifier(caller)) }
    }

    var description: String { variant.rawValue }
}

extension ImageRequest {
    /// Whether both are loaded with the same options.
    package func loadsAlike(_ other: ImageRequest) -> Bool {
        cachePolicy == other.cachePolicy && cacheReads == other.cacheReads && cacheWrites == other.cacheWrites
            && waitsForStores == other.waitsForStores
            && (parts == nil && other.parts == nil || partsOrDefaults.loadsAlike(other.partsOrDefaults))
    }

    /// Whether a failure of the load may not be its end.
    package var triesAgain: Bool { parts?.value.triesAgain == true }
}
