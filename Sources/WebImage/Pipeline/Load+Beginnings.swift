// SPDX-License-Identifier: MIT
import ImageCoding

// What an earlier load has made of [A, B] serves [A, B, C].

extension ImageRequest {
    /// The requests for the beginnings of the transformers, each with the request for the rest, the longest first.
    fileprivate var beginnings: [(begun: ImageRequest, rest: ImageRequest)] {
        (1..<max(1, transformers.count)).reversed().map { count in
            var (begun, rest) = (self, self)
            begun.transformers = Array(transformers.prefix(count))
            rest.transformers = Array(transformers.dropFirst(count))
            return (begun, rest)
        }
    }
}

extension Pipeline {
    /// The picture in memory with the most of the steps of a request, and the request for the others.
    func beginningInMemory(of request: ImageRequest) -> (ImageResponse, rest: ImageRequest)? {
        for (begun, rest) in request.beginnings {
            // Of the steps of an animation that transformers leave alone, only the first one of all counts.
            if let picture = remembered(begun, Picture(), begun.variantKey),
                !picture.image.isAnimated || request.transformsAnimations
            {
                return (picture, rest)
            }
        }
        return nil
    }
}

extension Load {
    /// The product of the stored picture with the most of its steps, when no original is stored: that is better than a
    /// transfer. A stored original is better, because a variant may be in a format with losses.
    func madeOfStoredBeginning() async throws -> P.Value? {
        guard request.transformers.count > 1, request.cacheReads.variant.contains(.disk), allowsDisk else { return nil }
        if request.cacheReads.original.contains(.disk), try await caches.storesEntry(request.originalKey) { return nil }
        for (begun, rest) in request.beginnings {
            guard let entry = try await diskEntry(for: begun.variantKey, request.cacheReads.variant),
                let picture = try await pipeline.storedPicture(entry, for: begun, metrics)
            else { continue }
            return try await made(of: picture, for: pipeline.withPreparedTransformers(rest))
        }
        return nil
    }

    /// The product of a picture that the program makes.
    func made(by make: @concurrent @Sendable () async throws -> DecodedImage) async throws -> P.Value {
        if request.cachePolicy == .onlyIfCached { throw ImageLoadError.notInCache(request.url) }
        let image: DecodedImage
        do { image = try await make() } catch { throw ImageLoadError.ofHook("picture", error, request.url) }
        try Task.checkCancellation()
        let picture = ImageResponse(
            .init(image: image, format: .png, isLossless: true), .init(source: .program, metrics: metrics))
        if request.transformers.isEmpty { rememberPicture(picture) }
        return try await made(of: picture, for: pipeline.withPreparedTransformers(request))
    }
}
