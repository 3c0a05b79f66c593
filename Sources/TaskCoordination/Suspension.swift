// SPDX-License-Identifier: MIT
/// A suspended task that waits for a value. Resumed exactly once: what resumes it has taken it out of its place.
///
/// `CheckedContinuation` allocates, and asks the runtime at every look whether an optional one is there. Both together
/// are a twentieth of the instructions of a small download.
@safe @usableFromInline package struct Suspension<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline let continuation: UnsafeContinuation<Value, Failure>

    @inlinable init(_ continuation: UnsafeContinuation<Value, Failure>) {
        unsafe self.continuation = unsafe continuation
    }

    @inlinable package func resume(with result: Result<Value, Failure>) { unsafe continuation.resume(with: result) }
}

extension Suspension where Failure == Never {
    @inlinable package func resume(returning value: Value) { unsafe continuation.resume(returning: value) }
}

/// Suspends the calling task until the suspension that `body` gets is resumed, in `body` or later.
@inlinable @inline(__always)
package nonisolated(nonsending) func withSuspension<Value: Sendable>(
    _ body: (Suspension<Value, Never>) -> Void
) async -> Value {
    await unsafe withUnsafeContinuation { body(unsafe Suspension($0)) }
}

/// Suspends the calling task until the suspension that `body` gets is resumed, in `body` or later.
///
/// - Throws: What it is resumed with.
@inlinable @inline(__always)
package nonisolated(nonsending) func withThrowingSuspension<Value: Sendable>(
    _ body: (Suspension<Value, any Error>) -> Void
) async throws -> Value {
    try await unsafe withUnsafeThrowingContinuation { body(unsafe Suspension($0)) }
}
