import Foundation

/// How pictures are named in the caches.
///
/// A plain request is named by its URL. Whatever else changes the picture is appended as length-prefixed components
/// behind a NUL, which no URL contains, so no two different requests share a name.
extension ImageRequest {
    /// The name of the original.
    var originalKey: CacheKey {
        cacheKey.map { CacheKey("\0key" + Self.component($0)) } ?? transferKey
    }

    /// The name of what a transfer brings. Requests of one identity have the same.
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
    /// A request with own headers, body or modifier may carry credentials, and its key would write them to disk. Such
    /// a request stays in memory unless it names its picture with ``cacheKey``.
    ///
    /// - Source: RFC 9111, section 3.5.
    var allowsDisk: Bool { cacheKey != nil || isAnonymous }

    /// Whether the picture is looked for on disk.
    var readsDisk: Bool { cacheReads.contains(.disk) && allowsDisk }

    private static func component(_ text: String) -> String { "\0\(text.utf8.count):\(text)" }
}
