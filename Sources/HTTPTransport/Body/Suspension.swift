// SPDX-License-Identifier: MIT
/// A suspended task that waits for a value. Resumed exactly once: what resumes it has taken it out of its place.
///
/// `CheckedContinuation` allocates, and asks the runtime at every look whether an optional one is there. Both together
/// are a twentieth of the instructions of a small download.
@safe struct Suspension<Value: Sendable, Failure: Error>: Sendable {
    private let continuation: UnsafeContinuation<Value, Failure>

    init(_ continuation: UnsafeContinuation<Value, Failure>) { unsafe self.continuation = unsafe continuation }

    func resume(with result: Result<Value, Failure>) { unsafe continuation.resume(with: result) }
}
