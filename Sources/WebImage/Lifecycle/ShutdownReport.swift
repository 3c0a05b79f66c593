/// What a shutdown had to drop, and what it left running.
public struct ShutdownReport: Sendable, Hashable {
    /// Calls for a picture or a file that still ran when the grace time was over. They got `CancellationError`.
    public var cancelledLoadCount: Int
    /// Pictures that were not written to disk.
    public var droppedWriteCount: Int
    /// Operations that had not returned when the time was over: transfers with their request modifiers, the shutdown of
    /// the transport, and work on the threads of the manager and of its disk cache, such as a transformer or a coder.
    ///
    /// They continue by themselves until they return. Their results reach no caller. A transfer whose modifier or
    /// transport called the shutdown is among them.
    public var stillRunningCount: Int

    /// Creates a report.
    public init(cancelledLoadCount: Int = 0, droppedWriteCount: Int = 0, stillRunningCount: Int = 0) {
        self.cancelledLoadCount = cancelledLoadCount
        self.droppedWriteCount = droppedWriteCount
        self.stillRunningCount = stillRunningCount
    }

    /// Whether all running work finished.
    public var isClean: Bool { cancelledLoadCount == 0 && droppedWriteCount == 0 && stillRunningCount == 0 }
}
