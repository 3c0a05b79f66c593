/// What a shutdown had to drop.
public struct ShutdownReport: Sendable, Hashable {
    /// Calls for a picture or a file that were still running when the grace time was over; they got
    /// `CancellationError`.
    public var cancelledLoadCount: Int
    /// Pictures that were not written to disk.
    public var droppedWriteCount: Int

    /// Creates a report.
    public init(cancelledLoadCount: Int = 0, droppedWriteCount: Int = 0) {
        self.cancelledLoadCount = cancelledLoadCount
        self.droppedWriteCount = droppedWriteCount
    }

    /// Whether everything that had begun was finished.
    public var isClean: Bool { cancelledLoadCount == 0 && droppedWriteCount == 0 }
}
