// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Logging
public import UnixSignals

/// Stands in for swift-service-lifecycle 2.
public protocol Service: Sendable {
    func run() async throws
}

public func cancelWhenGracefulShutdown<T: Sendable>(
    _ operation: @Sendable @escaping () async throws -> T
) async rethrows -> T { try await operation() }

public struct ServiceGroupConfiguration: Sendable {
    public struct ServiceConfiguration: Sendable {
        public struct TerminationBehavior: Sendable {
            public static let cancelGroup = Self()
            public static let gracefullyShutdownGroup = Self()
            public static let ignore = Self()
        }

        public var service: any Service
        public init(
            service: any Service, successTerminationBehavior: TerminationBehavior = .cancelGroup,
            failureTerminationBehavior: TerminationBehavior = .cancelGroup
        ) { self.service = service }
    }

    public var services: [ServiceConfiguration]

    public init(services: [ServiceConfiguration], logger: Logger) { self.services = services }
    public init(
        services: [ServiceConfiguration], gracefulShutdownSignals: [UnixSignal] = [],
        cancellationSignals: [UnixSignal] = [], logger: Logger
    ) { self.services = services }
    public init(services: [any Service], logger: Logger) {
        self.services = services.map { ServiceConfiguration(service: $0) }
    }
    public init(
        services: [any Service], gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = [],
        logger: Logger
    ) { self.services = services.map { ServiceConfiguration(service: $0) } }
}

public actor ServiceGroup: Service {
    public init(configuration: ServiceGroupConfiguration) {}
    public init(
        services: [any Service], gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = [],
        logger: Logger
    ) {}

    public func run() async throws {}
}
