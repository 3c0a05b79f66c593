extension InFlight {
    /// A plan that is an operation.
    @usableFromInline struct Work: FlightPlan {
        @usableFromInline let operation: Operation

        @inlinable init(operation: @escaping Operation) { self.operation = operation }

        @concurrent @inlinable func fly(_ report: @escaping @Sendable (Progress) -> Void) async throws -> Value {
            try await operation(report)
        }
    }
}
