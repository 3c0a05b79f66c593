// SPDX-License-Identifier: MIT
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A count that blocks the *thread* that finds it at zero.
///
/// For the threads of a pool, never for a task.
@safe final class Semaphore: Sendable {
    // Allocated once, freed in `deinit`; a mutex may be used by any thread.
    private nonisolated(unsafe) let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    // Allocated once, freed in `deinit`; a condition may be used by any thread.
    private nonisolated(unsafe) let rung = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // Touched only under the lock.
    private nonisolated(unsafe) var count = 0

    init() {
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(rung, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(rung)
        unsafe pthread_mutex_destroy(lock)
        unsafe rung.deallocate()
        unsafe lock.deallocate()
    }

    /// Raises the count and wakes one thread that waits.
    func signal() {
        unsafe pthread_mutex_lock(lock)
        unsafe count += 1
        unsafe pthread_mutex_unlock(lock)
        unsafe pthread_cond_signal(rung)
    }

    /// Blocks the calling thread until the count is positive, and lowers it.
    func wait() {
        unsafe pthread_mutex_lock(lock)
        while unsafe count == 0 { unsafe pthread_cond_wait(rung, lock) }
        unsafe count -= 1
        unsafe pthread_mutex_unlock(lock)
    }
}
