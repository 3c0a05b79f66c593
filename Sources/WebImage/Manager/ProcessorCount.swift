import Foundation

/// How many cores this process may use.
public enum ProcessorCount {
    /// The cores the operating system lets this process use; at least 1.
    public static var available: Int { max(1, ProcessInfo.processInfo.activeProcessorCount) }
}
