/// What a manager has done since it was made.
public struct LoadCounters: Sendable, Hashable {
    /// Calls that asked for a picture or a file.
    public var requests = 0
    /// Calls that memory answered.
    public var memoryHits = 0
    /// Flights that the disk cache answered.
    public var diskHits = 0
    /// Transfers that began.
    public var downloads = 0
    /// Bytes that transfers brought, after decompression.
    public var downloadedByteCount = 0
    /// Calls that ended with a picture or a file.
    public var finished = 0
    /// Calls that ended with `CancellationError`.
    public var cancelled = 0
    /// Calls that ended with another error.
    public var failed = 0

    /// Calls that have not ended.
    var running: Int { requests - finished - cancelled - failed }

    /// Creates counters that stand at zero.
    public init() {}
}
