public import Foundation
public import ImageCoding
import Synchronization
import TaskCoordination

extension ImageManager {
    /// The picture at `url`.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(from url: URL) async throws -> DecodedImage {
        try await image(for: ImageRequest(url))
    }

    /// The picture that `request` asks for.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(for request: ImageRequest) async throws -> DecodedImage {
        try await pipeline.picture(for: request, onProgress: nil).image
    }

    /// The picture that `request` asks for, and where it came from.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func load(_ request: ImageRequest) async throws -> ImageResponse {
        try await pipeline.picture(for: request, onProgress: nil).handedOver
    }

    /// What the memory cache holds for `request`, without waiting, for callers that must answer in the same turn.
    ///
    /// - Complexity: O(1), under a microsecond; a hit counts as a use.
    public nonisolated func peek(_ request: ImageRequest) -> DecodedImage? {
        guard pipeline.isOpen.load(ordering: .acquiring) else { return nil }
        let picture = pipeline.memory.value(for: .picture(request.variantKey))
        return if case .decoded(let response)? = picture { response.image } else { nil }
    }

    /// Makes a load that is under way more urgent; a queued download moves forward at once.
    ///
    /// It is raised for every caller that shares it. A priority never falls.
    ///
    /// - Parameters:
    ///   - request: The request as it was made.
    ///   - format: The file that was asked for; nil for a load of pixels.
    ///   - priority: The priority to raise it to.
    public nonisolated func raise(
        _ request: ImageRequest, as format: OutputFormat? = nil, to priority: ImagePriority
    ) {
        if let format {
            let key = LoadKey(request, variant: request.encodedKey(format))
            pipeline.files.escalate(key, to: priority.taskPriority)
        } else {
            pipeline.pictures.escalate(LoadKey(request, variant: request.variantKey), to: priority.taskPriority)
        }
    }

    /// The picture that `request` asks for, as a file.
    ///
    /// The file is cached in memory and on disk, so a later call neither decodes nor encodes. ``OutputFormat/original``
    /// without transformers is the file as the origin sent it, checked to be a picture.
    ///
    /// - Parameters:
    ///   - request: The picture.
    ///   - format: The file to make of it.
    ///   - onProgress: Told how much of the original has arrived, in order. Runs in the calling task on a thread apart:
    ///     one that blocks holds up this call alone.
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func encodedImage(
        for request: ImageRequest, as format: OutputFormat = .original,
        onProgress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> EncodedImage {
        try await pipeline.file(for: request, as: format, onProgress: onProgress)
    }
}
