// SPDX-License-Identifier: MIT
extension Result where Failure == any Error {
    /// How an asynchronous body ends; the counterpart of `Result(catching:)`, which takes synchronous ones.
    ///
    /// **Isolation**: `body` runs on the caller's actor, unless its type says otherwise.
    init(awaiting body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
