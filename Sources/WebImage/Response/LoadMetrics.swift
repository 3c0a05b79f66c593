/// How long the stages of one load took.
///
/// The figures belong to the flight: callers that joined it share them.
public struct LoadMetrics: Sendable, Hashable {
    /// From asking the disk cache to its answer.
    public var diskRead: Duration?
    /// From asking the downloader to the last byte, the wait in its queue included.
    public var download: Duration?
    /// Decoding alone, without the wait for memory and a thread.
    public var decode: Duration?
    /// The transformers alone.
    public var transform: Duration?

    /// Creates metrics in which no stage has run.
    public init() {}
}
