// SPDX-License-Identifier: MIT
public import ImageCoding
public import PlatformBasics
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

    /// The picture that the memory cache holds for `request`, without waiting, for callers that must show it in the
    /// same turn.
    ///
    /// - Complexity: O(1), under a microsecond; a hit counts as a use.
    public nonisolated func peek(_ request: ImageRequest) -> DecodedImage? {
        guard pipeline.isOpen.load(ordering: .acquiring), let request = pipeline.preparedAtOnce(request) else {
            return nil
        }
        let picture = pipeline.inMemory(.picture(request.variantKey), request)
        return if case .decoded(let picture)? = picture { picture.value.image } else { nil }
    }

    /// The largest picture that the memory cache holds of the original of `request`, at whatever size, without waiting:
    /// what a view shows until the picture of its own size is there.
    ///
    /// All transformers but `.resize` are those of the request: a blurred picture has no placeholder that is not.
    ///
    /// - Complexity: O(number of variants in memory); each counts as a use.
    public nonisolated func peekAnySize(_ request: ImageRequest) -> DecodedImage? {
        guard pipeline.isOpen.load(ordering: .acquiring), let request = pipeline.preparedAtOnce(request) else {
            return nil
        }
        let (caches, name) = (pipeline.caches(for: request), request.variantKey)
        let pictures = caches.views(of: request.originalKey).compactMap { key -> DecodedImage? in
            guard case .picture(let other) = key, other.differsInSizeAlone(from: name), caches.memory.contains(key),
                case .decoded(let picture)? = caches.memory.value(for: key)
            else { return nil }
            return picture.value.image
        }
        return pictures.max { $0.width * $0.height < $1.width * $1.height }
    }

    /// Makes a running load more urgent; a queued download moves forward at once.
    ///
    /// A download that runs gets no more of its connection: it is the work after it that is done sooner.
    ///
    /// The load is raised for every caller of an equal request, and stays so: also while it waits for its next attempt,
    /// or for an alternative.
    ///
    /// - Parameters:
    ///   - request: The request as it was made.
    ///   - format: The format of the file that was requested; `nil` for a load of pixels.
    ///   - priority: The priority to raise it to.
    /// - Complexity: O(number of running loads).
    public nonisolated func raise(
        _ request: ImageRequest, as format: OutputFormat? = nil, to priority: ImagePriority
    ) {
        let request = pipeline.named(request)
        if let format {
            let key = LoadKey(request, variant: request.fileKey(format))
            pipeline.files.escalate(to: priority.taskPriority) { $0.asksForSame(as: key) }
        } else {
            let key = LoadKey(request, variant: request.variantKey)
            pipeline.pictures.escalate(to: priority.taskPriority) { $0.asksForSame(as: key) }
        }
    }

    /// The picture that `request` asks for, as a file.
    ///
    /// The file is cached in memory and on disk, so a later call neither decodes nor encodes. ``OutputFormat/original``
    /// without transformers returns the file as the origin sent it, after a check that it is a picture.
    ///
    /// - Parameters:
    ///   - request: The picture.
    ///   - format: The file to make of it.
    ///   - onProgress: Called with how much of the original has arrived, in order, in the calling task. A handler that
    ///     blocks holds a thread that other tasks need.
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func encodedImage(
        for request: ImageRequest, as format: OutputFormat = .original,
        onProgress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws -> EncodedImage {
        try await pipeline.file(for: request, as: format, onProgress: onProgress)
    }
}

// MARK: - Files that the program has, and several outputs

extension ImageManager {
    /// The picture in a file whose bytes the program has; see ``ImageRequest/init(bytes:transformers:priority:)``.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func image(of bytes: some Collection<UInt8>) async throws -> DecodedImage {
        try await image(for: ImageRequest(bytes: bytes))
    }

    /// The picture in a file whose bytes the program has, as another file.
    ///
    /// ```swift
    /// let thumbnail = try await manager.encodedImage(of: upload, as: .webp(320))
    /// ```
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func encodedImage(
        of bytes: some Collection<UInt8>, as format: OutputFormat
    ) async throws -> EncodedImage {
        try await encodedImage(for: ImageRequest(bytes: bytes), as: format)
    }

    /// The picture in a file whose bytes the program has, as several files; see ``encodedImages(for:as:)``.
    public nonisolated func encodedImages(
        of bytes: some Collection<UInt8>, as formats: [OutputFormat]
    ) async throws -> [EncodedImage] {
        try await encodedImages(for: ImageRequest(bytes: bytes), as: formats)
    }

    /// One picture as several files, which share its transfer and its decode.
    ///
    /// ```swift
    /// let files = try await manager.encodedImages(for: request, as: [.webp(320), .webp(640), .jpeg(1_200)])
    /// ```
    ///
    /// All are of one content, also when a file that `request` names changes meanwhile. The first failure ends the
    /// loads of the others.
    ///
    /// - Returns: A file for each format, in their order.
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    public nonisolated func encodedImages(
        for request: ImageRequest, as formats: [OutputFormat]
    ) async throws -> [EncodedImage] {
        let request = try await pipeline.found(request)
        return try await withThrowingTaskGroup(of: (Int, EncodedImage).self) { group in
            for (index, format) in formats.enumerated() {
                group.addTask { (index, try await self.encodedImage(for: request, as: format)) }
            }
            let files = try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            return formats.indices.compactMap { files[$0] }
        }
    }
}
