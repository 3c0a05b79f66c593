// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// The failures of the last while. While none is remembered, a look-up costs one atomic read.
///
/// A failure belongs to an address, so ten sizes of one dead link ask the origin once. A failure that depends on what
/// was made of the file, such as a limit on its pixels, belongs to that variant.
final class RecentFailures: Sendable {
    /// An address, or one variant of it.
    private struct Place: Hashable {
        let transfer: RequestIdentity
        let variant: CacheKey?
        /// Whether HTTP's rules say how long. Loads by other policies do not ask them.
        let isRuled: Bool
    }

    private let memory: Mutex<FailureMemory<Place, ContinuousClock.Instant>>
    private let isEmpty = Atomic(true)
    private let lifetime: Duration

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of failures remembered.
    ///   - lifetime: How long each is remembered.
    init(capacity: Int, lifetime: Duration) {
        memory = Mutex(FailureMemory(capacity: capacity))
        self.lifetime = lifetime
    }

    /// The numbers of remembered failures and of their places. For tests.
    var counts: (entries: Int, places: Int) { memory.withLock { ($0.count, $0.placeCount) } }

    func contains(_ key: LoadKey) -> Bool { failure(for: key) != nil }

    /// What has failed: every variant of an address, or one alone.
    enum Extent { case address, variant }

    /// Throws the error of the last load of the variant, or of its address, if it is remembered.
    ///
    /// Not inlined: an error would enlarge the frame of every load.
    @inline(never) func check(_ key: LoadKey, _ extent: Extent) throws {
        if let failure = failure(for: key, [extent]) { throw failure.repeated() }
    }

    /// Remembers an error.
    ///
    /// - Parameters:
    ///   - isOfAddress: Whether every variant of the address fails alike.
    ///   - lifetime: For how long; `nil` for the usual time.
    func record(_ error: ImageLoadError, for key: LoadKey, isOfAddress: Bool, lifetime: Duration? = nil) {
        let lifetime = lifetime ?? self.lifetime
        guard lifetime > .zero else { return }
        let place = Place(transfer: key.transfer, variant: isOfAddress ? nil : key.variant, isRuled: key.isRuled)
        var error = error
        error.failedAt = .now
        let remembered = error
        change { $0.record(remembered, for: place, until: .now.advanced(by: lifetime)) }
    }

    /// Forgets the failures of the variant and of its address.
    func forget(_ key: LoadKey) {
        if isEmpty.load(ordering: .relaxed) { return }
        change { memory in
            for place in Self.places(key, isRuled: false) + Self.places(key, isRuled: true) { memory.forget(place) }
        }
    }

    func forgetAll() { change { $0.forgetAll() } }

    private func failure(for key: LoadKey, _ extents: [Extent] = [.address, .variant]) -> ImageLoadError? {
        if isEmpty.load(ordering: .relaxed) { return nil }
        return change { memory in
            for place in Self.places(key, isRuled: key.isRuled, extents) {
                if let failure = memory.failure(for: place, now: .now) { return failure }
            }
            return nil
        }
    }

    private static func places(
        _ key: LoadKey, isRuled: Bool, _ extents: [Extent] = [.address, .variant]
    ) -> [Place] {
        extents.map {
            Place(transfer: key.transfer, variant: $0 == .variant ? key.variant : nil, isRuled: isRuled)
        }
    }

    private func change<T: Sendable>(_ body: (inout FailureMemory<Place, ContinuousClock.Instant>) -> T) -> T {
        memory.withLock { memory in
            // Within the lock, so that the flag matches the last change.
            defer { isEmpty.store(memory.count == 0, ordering: .relaxed) }
            return body(&memory)
        }
    }
}
