// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-log 1.
public struct Logger: Sendable {
    public struct Message: ExpressibleByStringLiteral, Equatable, CustomStringConvertible,
        ExpressibleByStringInterpolation, Sendable
    {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    public enum MetadataValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
        case string(String)
        public init(stringLiteral value: String) { self = .string(value) }
    }

    public typealias Metadata = [String: MetadataValue]

    public let label: String
    private var metadata: Metadata = [:]

    public init(label: String) { self.label = label }

    public subscript(metadataKey metadataKey: String) -> Metadata.Value? {
        get { metadata[metadataKey] }
        set { metadata[metadataKey] = newValue }
    }

    public func debug(
        _ message: @autoclosure () -> Logger.Message, error: @autoclosure () -> (any Error)? = nil,
        metadata: @autoclosure () -> Logger.Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {}

    public func debug(
        _ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {}

    public func debug(
        _ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {}

    public func warning(
        _ message: @autoclosure () -> Logger.Message, error: @autoclosure () -> (any Error)? = nil,
        metadata: @autoclosure () -> Logger.Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {}

    public func warning(
        _ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata? = nil,
        source: @autoclosure () -> String? = nil, file: String = #fileID, function: String = #function,
        line: UInt = #line
    ) {}

    public func warning(
        _ message: @autoclosure () -> Logger.Message, metadata: @autoclosure () -> Logger.Metadata? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {}
}
