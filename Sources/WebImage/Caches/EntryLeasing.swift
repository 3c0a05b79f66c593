// SPDX-License-Identifier: MIT
package import PlatformBasics

/// A store that several processes use, of which one makes an entry while the others wait for it.
package protocol EntryLeasing: CacheStoring {
    /// Asks for the right to make an entry, and waits while another process makes it.
    ///
    /// - Parameters:
    ///   - key: The entry.
    ///   - url: The address of the load, for its error.
    ///   - hearsFailures: Whether the failure of another process is this one's.
    /// - Returns: The right; `nil` when the load goes on: the entry is there, or this process makes it already, or no
    ///   store can be asked.
    /// - Throws: The failure of another process; `CancellationError`.
    func claim(_ key: CacheKey, for url: URL, hearsFailures: Bool) async throws -> (any EntryLease)?

    /// What the load of this process that makes the entry holds, while it does.
    func lease(of key: CacheKey) -> (any EntryLease)?
}

/// The right of a load to make an entry. It ends with its last reference.
package protocol EntryLease: AnyObject, Sendable {
    /// The entry is made. Storing it ends the right.
    func handOver()

    /// Ends the right of a load that has thrown.
    func fail(_ error: any Error, isCancelled: Bool, isLasting: Bool)
}
