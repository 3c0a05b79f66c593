// SPDX-License-Identifier: MIT
public import ImageCoding
public import PlatformBasics

/// Loads pictures, decoded or as files.
///
/// ``ImageManager`` is the implementation for programs. Code that depends on the protocol can be tested with another
/// loader:
///
/// ```swift
/// struct Fixed: ImageLoading {
///     let file: EncodedImage
///     func load(_ request: ImageRequest) async throws -> ImageResponse { throw Unexpected() }
///     func encodedImage(
///         for request: ImageRequest, as format: OutputFormat, onProgress: (@Sendable (LoadProgress) -> Void)?
///     ) async throws -> EncodedImage { file }
/// }
/// ```
public protocol ImageLoading: Sendable {
    /// The picture that `request` asks for, and where it came from.
    ///
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    func load(_ request: ImageRequest) async throws -> ImageResponse

    /// The picture that `request` asks for, as a file.
    ///
    /// - Parameters:
    ///   - request: The picture.
    ///   - format: The format of the file.
    ///   - onProgress: Called with how much of the original has arrived, in order.
    /// - Throws: ``ImageLoadError``; `CancellationError` as soon as the calling task is cancelled.
    func encodedImage(
        for request: ImageRequest, as format: OutputFormat, onProgress: (@Sendable (LoadProgress) -> Void)?
    ) async throws -> EncodedImage
}

extension ImageLoading {
    /// The picture at `url`.
    public func image(from url: URL) async throws -> DecodedImage { try await load(ImageRequest(url)).image }

    /// The picture that `request` asks for, as a file.
    public func encodedImage(
        for request: ImageRequest, as format: OutputFormat = .original
    ) async throws -> EncodedImage {
        try await encodedImage(for: request, as: format, onProgress: nil)
    }
}

/// A loader for a view binding: a look into memory in the same turn, and the steps of a load.
public protocol ViewImageLoading: Sendable {
    /// The picture that memory holds for `request`, without waiting.
    func peek(_ request: ImageRequest) -> DecodedImage?

    /// The largest picture that memory holds of the original of `request`, at whatever size, without waiting.
    ///
    /// A placeholder: see ``ImageManager/peekAnySize(_:)``. By default that of ``peek(_:)``.
    func peekAnySize(_ request: ImageRequest) -> DecodedImage?

    /// The steps of one load. Ending the iteration, or cancelling the iterating task, leaves the load.
    func events(for request: ImageRequest) -> AsyncThrowingStream<ImageEvent, any Error>
}

extension ViewImageLoading {
    /// The picture that memory holds for `request`.
    public func peekAnySize(_ request: ImageRequest) -> DecodedImage? { peek(request) }
}

extension ImageManager: ImageLoading, ViewImageLoading {}
