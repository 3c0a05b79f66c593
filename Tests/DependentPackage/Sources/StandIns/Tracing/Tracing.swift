// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for swift-distributed-tracing 1 and swift-service-context 1.
public struct ServiceContext: Sendable {
    @TaskLocal public static var current: ServiceContext?
    public static var topLevel: ServiceContext { ServiceContext() }
}

public protocol Extractor: Sendable {
    associatedtype Carrier: Sendable
    func extract(key: String, from carrier: Carrier) -> String?
}

public protocol Injector: Sendable {
    associatedtype Carrier: Sendable
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

public protocol Instrument: Sendable {
    func extract<Carrier, Extract>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract: Extractor, Extract.Carrier == Carrier
    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier
}

public enum InstrumentationSystem {
    public static var instrument: any Instrument { NoOpInstrument() }
}

struct NoOpInstrument: Instrument {
    func extract<Carrier, Extract>(_ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract)
    where Extract: Extractor, Extract.Carrier == Carrier {}
    func inject<Carrier, Inject>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject: Injector, Inject.Carrier == Carrier {}
}

public protocol SpanAttributeConvertible {}
extension Int: SpanAttributeConvertible {}
extension String: SpanAttributeConvertible {}

public struct SpanAttributes: Sendable {
    public subscript(_ name: String) -> (any SpanAttributeConvertible)? {
        get { nil }
        set { _ = newValue }
    }
}

public enum SpanKind: Sendable { case server, client, producer, consumer, `internal` }

public protocol TracerInstant: Comparable, Hashable, Sendable {
    var nanosecondsSinceEpoch: UInt64 { get }
}

public struct DefaultTracerClock {
    public struct Timestamp: TracerInstant {
        public let nanosecondsSinceEpoch: UInt64
        public init(nanosecondsSinceEpoch: UInt64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }
        public static func < (lhs: Timestamp, rhs: Timestamp) -> Bool {
            lhs.nanosecondsSinceEpoch < rhs.nanosecondsSinceEpoch
        }
    }

    public static var now: Timestamp { Timestamp(nanosecondsSinceEpoch: 0) }
}

public protocol Span: Sendable {
    var context: ServiceContext { get }
    var attributes: SpanAttributes { get nonmutating set }
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant)
}

extension Span {
    public func end() { end(at: DefaultTracerClock.now) }
}

struct NoOpSpan: Span {
    let context: ServiceContext
    var attributes: SpanAttributes {
        get { SpanAttributes() }
        nonmutating set { _ = newValue }
    }
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {}
}

public func startSpan<Instant: TracerInstant>(
    _ operationName: String, at instant: @autoclosure () -> Instant,
    context: @autoclosure () -> ServiceContext = .current ?? .topLevel, ofKind kind: SpanKind = .internal,
    function: String = #function, file fileID: String = #fileID, line: UInt = #line
) -> any Span { NoOpSpan(context: context()) }

public func startSpan(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, at instant: @autoclosure () -> some TracerInstant = DefaultTracerClock.now,
    function: String = #function, file fileID: String = #fileID, line: UInt = #line
) -> any Span { NoOpSpan(context: context()) }

public func withSpan<T>(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, function: String = #function, file fileID: String = #fileID,
    line: UInt = #line, _ operation: (any Span) throws -> T
) rethrows -> T { try operation(NoOpSpan(context: context())) }

public func withSpan<T>(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, isolation: isolated (any Actor)? = #isolation,
    function: String = #function, file fileID: String = #fileID, line: UInt = #line,
    _ operation: (any Span) async throws -> T
) async rethrows -> T { try await operation(NoOpSpan(context: context())) }

public func withSpan<T>(
    _ operationName: String, context: @autoclosure () -> ServiceContext = .current ?? .topLevel,
    ofKind kind: SpanKind = .internal, at instant: @autoclosure () -> some TracerInstant = DefaultTracerClock.now,
    isolation: isolated (any Actor)? = #isolation, function: String = #function, file fileID: String = #fileID,
    line: UInt = #line, _ operation: (any Span) async throws -> T
) async rethrows -> T { try await operation(NoOpSpan(context: context())) }
