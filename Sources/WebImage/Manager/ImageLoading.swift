public import ImageCoding

/// What shows pictures needs of what loads them.
///
/// ``ImageManager`` is the one to use; a test brings its own.
public protocol ImageLoading: Sendable {
    /// What is in memory for `request`, without waiting.
    func peek(_ request: ImageRequest) -> DecodedImage?

    /// The steps of one load. Ending the iteration, or cancelling the task that iterates, leaves the load.
    func events(for request: ImageRequest) -> AsyncThrowingStream<ImageEvent, any Error>
}

extension ImageManager: ImageLoading {}
