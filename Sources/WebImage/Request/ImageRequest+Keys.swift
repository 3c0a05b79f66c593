import Foundation

/// The names of pictures in the caches.
///
/// The URL names a plain request. Everything else that changes the picture is appended as length-prefixed components
/// after a NUL, which no URL contains. So two different requests never share a name.
extension ImageRequest {
    /// The name of the original.
    var originalKey: CacheKey {
        cacheKey.map { CacheKey("\0key" + Self.component($0)) } ?? transferKey
    }

    /// The name of the content of a transfer. Requests with one identity have the same name.
    var transferKey: CacheKey {
        if isAnonymous { return urlKey }
        var name = urlKey.rawValue + "\0request" + Self.component(method)
        for field in headers { name += Self.component(field.name.lowercased()) + Self.component(field.value) }
        if let body {
            // A scalar per byte: decoding as UTF-8 would make different bodies equal.
            name += "\0body" + Self.component(String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) })))
        }
        if let modifier { name += "\0modifier" + Self.component(modifier.identity) }
        return CacheKey(name)
    }

    /// The name of the decoded and transformed picture.
    var variantKey: CacheKey {
        guard firstFrameOnly || !transformers.isEmpty else { return originalKey }
        var name = originalKey.rawValue + "\0variant"
        if firstFrameOnly { name += Self.component("firstFrame") }
        for transformer in transformers { name += Self.component(transformer.key) }
        return CacheKey(name)
    }

    /// Whether the picture may be kept on disk, where it outlives the process and its tenants.
    ///
    /// A request with its own headers, body or modifier may carry credentials, and its key would write them to disk.
    /// The picture of such a request is kept in memory only, unless ``cacheKey`` names it.
    ///
    /// - Source: RFC 9111, section 3.5.
    var allowsDisk: Bool { cacheKey != nil || isAnonymous }

    /// Whether the picture is looked for on disk.
    var readsDisk: Bool { cacheReads.contains(.disk) && allowsDisk }

    private static func component(_ text: String) -> String { "\0\(text.utf8.count):\(text)" }
}
