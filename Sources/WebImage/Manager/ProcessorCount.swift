import Foundation

/// The number of cores that this process may use.
public enum ProcessorCount {
    /// The number of cores that the operating system lets this process use; at least 1.
    public static var available: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
