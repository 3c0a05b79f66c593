/// How one load of a batch has ended.
public struct ImageOutcome: Sendable {
    /// The place of the request in the input, from 0.
    public var index: Int
    /// The request.
    public var request: ImageRequest
    /// The picture; or an ``ImageLoadError``, or `CancellationError` when the manager cancelled the load.
    public var result: Result<ImageResponse, any Error>

    /// Creates an outcome.
    public init(index: Int, request: ImageRequest, result: Result<ImageResponse, any Error>) {
        self.index = index
        self.request = request
        self.result = result
    }
}
