// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import PlatformBasics
import TaskCoordination

/// The failures of the last while, so that a page full of dead links does not repeat them.
///
/// A failure belongs to an address, so ten sizes of one dead link ask the origin once. A failure that depends on what
/// was made of the file, such as a limit on its pixels, belongs to that variant and that limit.
final class RecentFailures: Sendable {
    /// An address, or one variant of it.
    private struct Subject: Hashable {
        let transfer: RequestIdentity
        let variant: CacheKey?
        /// Those of the request, when its variant failed.
        let limits: ImageLimits?
        /// What a file may lack: a file that fails one request may do for another.
        let failOn: DamagePolicy
        let firstFrameOnly: Bool
        /// Whether HTTP's rules say how long. Loads by other policies do not ask them.
        let isRuled: Bool
    }

    private struct Failure {
        let error: ImageLoadError
        let expiry: ContinuousClock.Instant
    }

    private static let byteLimit = 4 << 20

    private let memory: Mutex<BoundedTable<Subject, Failure>>
    private let lifetime: Duration
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - capacity: The largest number of failures remembered, of 4 MiB at most.
    ///   - lifetime: How long each is remembered.
    init(
        capacity: Int, lifetime: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        memory = Mutex(BoundedTable(byteLimit: Self.byteLimit, countLimit: capacity))
        self.lifetime = lifetime
        self.now = now
    }

    /// The number of remembered failures.
    var count: Int { memory.withLock { $0.count } }

    /// The bytes of the remembered failures.
    var byteCount: Int { memory.withLock { $0.byteCount } }

    /// Gives memory back, and takes no more than a share until the pressure ends.
    func respond(to pressure: MemoryPressure) { memory.withLock { $0.byteLimit = Self.byteLimit / pressure.divisor } }

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
        let subject = Self.subject(key, isRuled: key.isRuled, isOfAddress ? .address : .variant)
        var error = error
        error.failedAt = .now
        let heapByteCount =
            HeapSize.of(key.request, failedWith: error) + (subject.variant.map { HeapSize.of($0.rawValue) } ?? 0)
        let failure = Failure(error: error, expiry: now().advanced(by: lifetime))
        memory.withLock { _ = $0.store(failure, for: subject, heapByteCount: heapByteCount) }
    }

    /// Forgets the failures of the variant and of its address.
    func forget(_ key: LoadKey) {
        memory.withLock { memory in
            for subject in Self.subjects(key, isRuled: false) + Self.subjects(key, isRuled: true) {
                memory.remove(subject)
            }
        }
    }

    func forgetAll() { memory.withLock { $0.removeAll() } }

    private func failure(for key: LoadKey, _ extents: [Extent] = [.address, .variant]) -> ImageLoadError? {
        memory.withLock { memory in
            if memory.count == 0 { return nil }
            let now = now()
            // Those of all keys, so that any look-up some time after the last failure empties the memory.
            while let oldest = memory.oldest, oldest.value.expiry <= now { memory.removeOldest() }
            for subject in Self.subjects(key, isRuled: key.isRuled, extents) {
                if let failure = memory[subject], failure.expiry > now { return failure.error }
            }
            return nil
        }
    }

    private static func subjects(
        _ key: LoadKey, isRuled: Bool, _ extents: [Extent] = [.address, .variant]
    ) -> [Subject] {
        extents.map { subject(key, isRuled: isRuled, $0) }
    }

    private static func subject(_ key: LoadKey, isRuled: Bool, _ extent: Extent) -> Subject {
        let (variant, limits) = extent == .variant ? (key.variant, key.request.limits) : (nil, nil)
        return Subject(
            transfer: key.transfer, variant: variant, limits: limits, failOn: key.request.failOn,
            firstFrameOnly: key.request.firstFrameOnly, isRuled: isRuled)
    }
}
