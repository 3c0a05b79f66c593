// SPDX-License-Identifier: MIT
import HTTPCaching
import HTTPTransport
import ImageCoding
import PlatformBasics

/// The names of pictures in the caches.
///
/// The URL names a plain request. Everything else that changes the picture is appended as length-prefixed components
/// after a NUL, which no URL contains. So two different requests never share a name.
extension ImageRequest {
    /// The name of the original: the file as the origin sends it.
    public var originalKey: CacheKey {
        cacheKey.map { CacheKey("\0key" + Self.component($0)) } ?? transferKey
    }

    /// The name of the decoded and transformed picture. A request without transformers has the name of its original.
    public var variantKey: CacheKey {
        let frameUse = transformers.isEmpty ? frameUse.subtracting(.transformed) : frameUse
        guard !frameUse.isEmpty || !transformers.isEmpty || parts?.value.changesPicture == true else {
            return originalKey
        }
        var name = CacheKey.variantMark
        if frameUse.contains(.first) {
            name += Self.component("firstFrame")
        } else if !frameUse.isEmpty {
            name += Self.component("frames\(frameUse.rawValue)")
        }
        if let parts = parts?.value, parts.decodesSpecially {
            name += Self.component("decode") + Self.component(parts.decoding)
        }
        if let coders { name += Self.component("coders") + Self.component(coders.identity) }
        for transformer in transformers { name += Self.component(transformer.key) }
        return CacheKey(originalKey, suffix: name)
    }

    /// The name of the file made in `format`. An unchanged original has the original's own name.
    public func fileKey(_ format: OutputFormat) -> CacheKey {
        switch format {
        case .original where isForOriginalFile(format): originalKey
        case .original: CacheKey(variantKey, suffix: "\0original")
        case .encoded(let encoded): CacheKey(fitted(for: format).variantKey, suffix: "\0encoded" + encoded.key)
        }
    }

    /// The request with the box of a format as its last transformer.
    ///
    /// There a decoder may do the work, and loads of several sizes share a decode. The encoder finds nothing to do.
    func fitted(for format: OutputFormat) -> ImageRequest {
        guard case .encoded(let encoded) = format, let box = encoded.options.maximumSize else { return self }
        let resize = ResizeTransformer(size: box)
        guard transformers.last?.key != resize.key else { return self }
        var copy = self
        copy.transformers.append(resize)
        return copy
    }

    /// Whether the file is the original as the origin sent it.
    func isForOriginalFile(_ format: OutputFormat) -> Bool {
        format == .original && transformers.isEmpty && !firstFrameOnly && content?.hasFile != false
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
        let parts = partsOrDefaults
        for (kind, identity) in parts.namesOfBytes { name += "\0\(kind)" + Self.component(identity) }
        if parts.restrictsTransfer {
            name +=
                "\0options" + Self.component(parts.authorization) + Self.component(Self.digest(parts.transfer.identity))
        }
        return CacheKey(name)
    }

    /// Whether the picture may be kept on disk, where it outlives the process and its tenants.
    ///
    /// A request with its own headers, body or request modifier may carry credentials, and its key would write them to
    /// disk. The picture of such a request is kept in memory only, unless ``cacheKey`` names it. The other parts have
    /// names that are meant to be written.
    ///
    /// - Source: RFC 9111, section 3.5.
    var allowsDisk: Bool {
        cacheKey != nil || isAnonymous
            || (method == "GET" && (headers.isEmpty || negotiatesAlone) && body == nil && modifier == nil
                && parts?.value.restrictsTransfer != true)
    }

    /// Whether HTTP's rules decide, and every field only negotiates the content: such fields may join a key on disk.
    private var negotiatesAlone: Bool {
        guard cachePolicy == .http, case .only(let names) = HTTPCacheRules.VaryFields.negotiation else { return false }
        return headers.allSatisfy { names.contains($0.name.lowercased()) }
    }

    /// A text that differs for different options, in this process. Such names are kept in memory only.
    private static func digest(_ options: HTTPRequest.Options) -> String {
        // Hashes are seeded anew by each process, so an untrusted value cannot be made to collide.
        let hashes = (0..<2).map { salt in
            var hasher = Hasher()
            hasher.combine(salt)
            hasher.combine(options)
            return hasher.finalize()
        }
        return hashes.map { String($0, radix: 16) }.joined(separator: "-")
    }

    private static func component(_ text: String) -> String { "\0\(text.utf8.count):\(text)" }
}

extension CacheKey {
    fileprivate static let variantMark = "\0variant"

    /// Whether both name pictures of one original, made by the same steps apart from those that resize.
    func differsInSizeAlone(from other: CacheKey) -> Bool {
        guard original == other.original, let steps, let others = other.steps else { return false }
        return steps.filter { !$0.hasPrefix("resize(") } == others.filter { !$0.hasPrefix("resize(") }
    }

    /// The keys of the steps that make a picture of its original; none for the original, `nil` for what is no picture.
    package var steps: [String]? {
        guard isOriginal || suffix.starts(with: Self.variantMark.utf8) else { return nil }
        var (steps, rest) = ([String](), suffix.dropFirst(Self.variantMark.utf8.count))
        while !rest.isEmpty {
            guard rest.first == 0, let colon = rest.firstIndex(of: UInt8(ascii: ":")),
                let count = UInt32(String(decoding: rest[..<colon].dropFirst(), as: UTF8.self))
            else { return nil }
            rest = rest[colon...].dropFirst()
            guard count <= rest.count else { return nil }
            steps.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
            rest = rest.dropFirst(Int(count))
        }
        return steps
    }
}
