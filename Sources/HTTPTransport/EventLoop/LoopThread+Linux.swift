#if os(Linux)
import CTransportShims
import Glibc

/// The thread of an event loop.
struct LoopThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread which runs the body once; the body is released when it has run.
    /// - Returns: `nil` when the process may not have another thread.
    init?(name: String, _ body: @escaping @Sendable () -> Void) {
        let context = unsafe Unmanaged.passRetained(Context(name: name, body: body))
        var handle = pthread_t()
        let result = unsafe pthread_create(
            &handle, nil,
            { pointer in
                // The pointer is the context retained above, and this thread is the only one to take it.
                guard let pointer = unsafe pointer else { return nil }
                let context = unsafe Unmanaged<Context>.fromOpaque(pointer).takeRetainedValue()
                unsafe context.name.withCString { unsafe transport_prepare_thread($0) }
                context.body()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            unsafe context.release()
            return nil
        }
        self.handle = handle
    }

    /// Waits until the thread has ended.
    ///
    /// Called once, or ``detach()`` once.
    func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end by itself.
    func detach() {
        pthread_detach(handle)
    }

    /// A number that tells the running threads of the process apart, never 0.
    static var current: UInt { UInt(pthread_self()) }

    /// Nanoseconds of a clock which never goes back.
    static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private final class Context: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
#endif
