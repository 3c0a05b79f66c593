// SPDX-License-Identifier: MIT

extension ImageRequest {
    /// Decides whether the load begins anew after a failure. The manager's ``ImageManager/Hooks/retry`` by default.
    public var retry: LoadRetry? {
        get { parts?.value.retry }
        set { changeParts { $0.retry = newValue } }
    }

    /// Where else the picture is, asked in order after any failure of the load; at most 8. None by default.
    ///
    /// An alternative says what is asked for: its address, method, fields and the parts that change the bytes. The
    /// transformers and all options are those of this request. It is loaded through the caches under its own name, and
    /// its picture is kept under the name of this request as well, so that the next load finds it without another
    /// failure. So alternatives must be the same picture, perhaps of another quality.
    /// The picture of an alternative that is for one user alone, for example because of its credential, is kept under
    /// the name of this request only if this one is for one user, too.
    ///
    /// When all fail, the error is that of this request, with ``ImageLoadError/failuresOfAlternatives``. Loads by
    /// HTTP's rules, ``CachePolicy/http``, keep nothing under the name of this request.
    public var alternatives: [ImageRequest] {
        get { parts?.value.alternatives ?? [] }
        set { changeParts { $0.alternatives = newValue } }
    }

    /// Values of the program's own, which hooks and rules see: a tenant, a name for a log. Empty by default.
    ///
    /// They change neither the transfer nor the picture. Callers that share a flight share the values of the first.
    public var userInfo: [String: any Sendable] {
        get { parts?.value.userInfo ?? [:] }
        set { changeParts { $0.userInfo = newValue } }
    }

    /// The request without what only its caller asks, so that tables do not keep it.
    var ofFlight: ImageRequest {
        var copy = self
        copy.changeParts { ($0.retry, $0.alternatives) = (nil, []) }
        copy.loadToken = nil
        return copy
    }

    /// The request that asks for this picture where an alternative is.
    func moved(to other: ImageRequest) -> ImageRequest {
        var copy = self
        copy.changeParts { $0.content = nil }
        (copy.url, copy.method, copy.headers, copy.body) = (other.url, other.method, other.headers, other.body)
        copy.cacheKey = other.cacheKey
        copy.cacheReads = cacheReads.intersection(other.cacheReads)
        copy.cacheWrites = cacheWrites.intersection(other.cacheWrites)
        let parts = other.partsOrDefaults
        copy.changeParts {
            ($0.modifier, $0.responseModifier, $0.bodyTransformer) =
                (parts.modifier, parts.responseModifier, parts.bodyTransformer)
            ($0.serializer, $0.loader, $0.transfer) = (parts.serializer, parts.loader, parts.transfer)
        }
        if let content = other.content { copy.hold(content) }
        return copy
    }
}
