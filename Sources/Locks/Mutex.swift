// SPDX-License-Identifier: MIT
@_exported public import Synchronization

#if THREAD_SANITIZER
internal import Glibc

/// Stands in for `Synchronization.Mutex` under the thread sanitizer.
///
/// The sanitizer does not see the standard library's futex-based lock on Linux and reports races that are none. A
/// module's own type hides one that it exports again: a file that imports `Locks` in place of `Synchronization` gets
/// this one there, and the standard library's everywhere else.
@safe public struct Mutex<Value: ~Copyable>: ~Copyable {
    // One allocation each, freed in `deinit`; the value is touched only between lock and unlock.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    /// A lock around the value.
    public init(_ initialValue: consuming sending Value) {
        unsafe lock = .allocate(capacity: 1)
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initialValue)
        unsafe pthread_mutex_init(lock, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Calls the body while no other thread is in a body of this lock.
    public borrowing func withLock<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }

    /// The same if no other thread is in a body of this lock; otherwise returns `nil` at once.
    public borrowing func withLockIfAvailable<Result: ~Copyable, E: Error>(
        _ body: (inout sending Value) throws(E) -> sending Result
    ) throws(E) -> sending Result? {
        guard unsafe pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}

// The lock admits one thread at a time to the value, which was sent in.
extension Mutex: @unchecked Sendable where Value: ~Copyable {}
#endif
