/// What a manager is busy with at one moment.
public struct LoadOccupancy: Sendable, Hashable {
    /// Callers that wait for a flight.
    public var callers: Int
    /// Flights that callers wait for.
    public var flights: Int
    /// Downloads that wait for a slot.
    public var queuedDownloads: Int
    /// Downloads that have a slot.
    public var runningDownloads: Int
    /// Pictures that wait to be decoded, transformed or encoded.
    public var queuedWork: Int
    /// Pictures that are being decoded, transformed or encoded.
    public var runningWork: Int
    /// Bytes of memory of the pictures that are being made, or wait to be handed to their callers.
    public var workByteCount: Int
    /// Keys that wait to be written to disk, or are being written.
    public var pendingWrites: Int

    /// Whether nothing is waiting or running.
    public var isIdle: Bool {
        callers + flights + queuedDownloads + runningDownloads + queuedWork + runningWork + workByteCount
            + pendingWrites == 0
    }
}
