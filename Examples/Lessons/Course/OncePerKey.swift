// SPDX-License-Identifier: MIT
import TaskCoordination

/// A table that runs one operation per key, however many callers ask for it.
///
/// The scenarios and the measurements ask every step of the course through this protocol, and `InFlight` too.
protocol OncePerKey: Sendable {
    /// Joins the operation for `key`, or starts it, and waits for its end.
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int
}

/// An operation that may tell how far it has come.
typealias Reporting = @concurrent @Sendable (_ report: @escaping @Sendable (Int) -> Void) async throws -> Int

/// A table whose operations cannot report.
///
/// A caller that wants progress has one way to get it: its operation calls its handler.
protocol WithoutReports: OncePerKey {
    typealias Operation = @concurrent @Sendable () async throws -> Int

    func value(for key: String, operation: @escaping Operation) async throws -> Int
}

extension WithoutReports {
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        try await value(for: key) { try await operation(onProgress) }
    }
}

extension Lesson0.Flights: OncePerKey, WithoutReports where Key == String, Value == Int {}
extension Lesson1.Flights: OncePerKey, WithoutReports where Key == String, Value == Int {}
extension Lesson2.Flights: OncePerKey, WithoutReports where Key == String, Value == Int {}
extension Lesson3.Flights: OncePerKey, WithoutReports where Key == String, Value == Int {}
extension Lesson4.Flights: OncePerKey, WithoutReports where Key == String, Value == Int {}

extension Lesson5.Flights: OncePerKey where Key == String, Value == Int, Progress == Int {
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        try await value(for: key, onProgress: { onProgress($0) }, operation: operation)
    }
}

extension Lesson6.Flights: OncePerKey where Key == String, Value == Int, Progress == Int {
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        try await value(for: key, onProgress: { onProgress($0) }, operation: operation)
    }
}

extension InFlight: OncePerKey where Key == String, Value == Int, Progress == Int {
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        try await value(for: key, onProgress: { onProgress($0) }, operation: operation)
    }
}

/// An album of three pictures, each loaded by the operation.
extension Lesson7.Draft: WithoutReports {
    func value(for key: String, operation: @escaping WithoutReports.Operation) async throws -> Int {
        try await album(["cover", "page 1", "page 2"]) { _ in try await operation() }.reduce(0, +)
    }
}

extension Lesson7.Albums: WithoutReports {
    func value(for key: String, operation: @escaping WithoutReports.Operation) async throws -> Int {
        try await album(["cover", "page 1", "page 2"]) { _ in try await operation() }.reduce(0, +)
    }
}
