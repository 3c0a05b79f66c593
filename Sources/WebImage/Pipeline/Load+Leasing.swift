// SPDX-License-Identifier: MIT
import TaskCoordination

extension Load {
    /// Whether this load takes part in the work of other processes.
    private var sharesWork: Bool {
        allowsDisk && (request.cachePolicy == .cacheFirst || key.isRuled)
            && (request.retriesFailed || !pipeline.failures.contains(key))
    }

    /// Runs the stages when this process makes the file and its original, or when others have made them.
    ///
    /// - Parameters:
    ///   - file: The name of the file; `nil` when a picture is loaded, or the original itself.
    ///   - stages: Look for what other processes have made, and make what is missing.
    nonisolated(nonsending) func sharing<Value: Sendable>(
        _ file: CacheKey?, in cache: any EntryLeasing, _ stages: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        guard sharesWork, request.cacheReads.original.union(request.cacheReads.file).contains(.disk) else {
            return try await stages()
        }
        guard let file else { return try await leading(request.originalKey, in: cache, stages) }
        return try await leading(file, in: cache, ifLeading: request.originalKey, stages)
    }

    private nonisolated(nonsending) func leading<Value: Sendable>(
        _ name: CacheKey, in cache: any EntryLeasing, ifLeading next: CacheKey? = nil,
        _ stages: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        guard let lease = try await cache.claim(name, for: request.url, hearsFailures: !request.retriesFailed) else {
            return try await stages()
        }
        defer { withExtendedLifetime(lease) {} }
        do {
            guard let next else { return try await stages() }
            return try await leading(next, in: cache, stages)
        } catch {
            lease.fail(
                error, isCancelled: Task.isCancelled || error is CancellationError,
                isLasting: (error as? ImageLoadError)?.isLasting == true)
            throw error
        }
    }

    /// What makes the entry of `name`, and hands it over to those that wait for it.
    ///
    /// An original is stored before the files that are made of it, because those that wait look for both.
    func handingOver(_ name: CacheKey, _ making: @escaping WriteBehind.Making) -> WriteBehind.Making {
        guard let lease = caches.sharing?.lease(of: name) else { return making }
        let (writes, original) = (caches.writes, request.originalKey)
        return {
            if name != original { await writes?.settle(original) }
            let entry = try await making()
            lease.handOver()
            return entry
        }
    }
}
