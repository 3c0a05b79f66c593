// SPDX-License-Identifier: MIT
import HTTPTransport
import PlatformBasics
import TaskCoordination

extension HeapSize {
    /// What a request keeps, without the parts that a program brings and shares between requests.
    static func of(_ request: ImageRequest) -> Int {
        // The key of the URL has the URL's text.
        var bytes = ofObject(ImageRequestFields.self) + of(request.url) + of(request.method) + of(request.headers)
        bytes += request.body.map { of($0) } ?? 0
        for text in [request.cacheKey, request.label] { bytes += text.map { of($0) } ?? 0 }
        if request.parts != nil { bytes += ofObject(RequestParts.self) }
        return bytes + of(request.transformers) + 80 * request.transformers.count
    }

    /// What a failed request and its error keep. Texts that may be shared, those of addresses, count once.
    static func of(_ request: ImageRequest, failedWith error: ImageLoadError) -> Int {
        let cause = error.cause as? HTTPError
        let others = [error.url, error.origin?.url, cause?.url, cause?.response?.url].compactMap { $0?.absoluteString }
        var bytes = of(request) + of(error.summary) + of(error.advice ?? "")
        for text in Set(others) where text != request.url.absoluteString { bytes += 320 + of(text) }
        if let origin = error.origin { bytes += origin.heapByteCount - of(origin.url.absoluteString) }
        guard error.cause != nil else { return bytes }
        bytes += allocation(48 + MemoryLayout<HTTPError>.size)
        guard let cause else { return bytes }
        for certificate in cause.peerCertificates { bytes += of(certificate) }
        bytes += of(cause.summary) + of(cause.advice ?? "") + (cause.cause == nil ? 0 : 256)
        return bytes + (cause.response.map { of($0.headers) + of($0.beginning) } ?? 0)
    }
}
