/// Something that answers HTTP requests: ``HTTPClient``, or a stub in a test.
///
/// It must not load through the image manager that it works for, which throws an error with code `.reentrant` then.
public protocol HTTPLoading: Sendable {
    /// Sends the request and returns when the head of the final answer is there; the body follows.
    ///
    /// **Cancellation**: throws `CancellationError` and ends the transfer.
    /// - Throws: ``HTTPError``; `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Ends what runs and releases what is held; later calls of ``send(_:)`` throw ``HTTPError/Code-swift.struct/shutDown``.
    func shutdown() async
}
