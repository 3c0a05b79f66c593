// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-metrics 2.
public final class Counter: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }
    public func increment<DataType: BinaryInteger>(by amount: DataType) {}
    public func increment() {}
}

public final class Meter: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }
    public func set<DataType: BinaryInteger>(_ value: DataType) {}
    public func set<DataType: BinaryFloatingPoint>(_ value: DataType) {}
}

public final class Timer: Sendable {
    public convenience init(label: String, dimensions: [(String, String)] = []) { self.init() }
    public func record(duration: Duration) {}
}
