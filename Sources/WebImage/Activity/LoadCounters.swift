// SPDX-License-Identifier: MIT
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
    /// Validations of stale pictures that were served meanwhile; see ``CachePolicy/http``.
    public var refreshes = 0
    /// Pieces of work that had to wait for their share of the memory for pictures; see
    /// ``ImageManager/Configuration/maximumProcessingByteCount``.
    public var memoryWaits = 0
    /// Pictures and files that were not written to disk: refused, or failed.
    public var droppedWrites = 0
    /// Calls that ended with a picture or a file.
    public var finished = 0
    /// Calls that ended with `CancellationError`.
    public var cancelled = 0
    /// Calls that ended with another error.
    public var failed = 0

    /// Calls that have not ended.
    var running: Int { requests - finished - cancelled - failed }
}

/// What a manager is busy with at one moment.
public struct LoadOccupancy: Sendable, Hashable {
    /// Callers that wait for a flight. A load that may be tried again is a flight, and a caller of its present one.
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
    /// Bytes of memory of the files that pictures are being made from, or will be, those that still arrive among them.
    public var originalByteCount: Int
    /// Keys that wait to be written to disk, or are being written.
    public var pendingWrites: Int
    /// Stale pictures that are being validated after they were served.
    public var refreshes: Int
    /// Bytes of memory of the failures that are remembered.
    public var rememberedByteCount: Int

    /// Whether nothing is waiting or running.
    public var isIdle: Bool {
        callers + flights + queuedDownloads + runningDownloads + queuedWork + runningWork + workByteCount
            + originalByteCount + pendingWrites + refreshes == 0
    }
}
