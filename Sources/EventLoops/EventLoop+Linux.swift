// SPDX-License-Identifier: MIT
#if os(Linux)
internal import CEventLoopShims
internal import Glibc

/// Waits for descriptors with epoll, and for signals of other threads with an eventfd.
///
/// All methods may be called on any thread, because the kernel locks. Both descriptors are closed on deinitialisation.
struct Poller: ~Copyable, Sendable {
    private let epoll: Int32
    private let event: Int32

    /// Creates a poller, which opens two descriptors.
    /// - Returns: `nil` when the process has no descriptor left.
    init?() {
        let epoll = loop_epoll_create()
        guard epoll >= 0 else { return nil }
        let event = loop_eventfd_create()
        guard event >= 0, loop_epoll_watch_signals(epoll, event) == 0 else {
            close(epoll)
            if event >= 0 { close(event) }
            return nil
        }
        self.epoll = epoll
        self.event = event
    }

    deinit {
        close(epoll)
        close(event)
    }

    /// Ends the current or the next wait.
    func signal() {
        loop_eventfd_signal(event)
    }

    /// Watches a descriptor.
    /// - Returns: Whether the kernel accepted it.
    func watch(_ descriptor: Int32, for interest: Readiness, token: UInt32, isNew: Bool) -> Bool {
        loop_epoll_watch(epoll, descriptor, interest.rawValue, token, isNew ? 1 : 0) == 0
    }

    /// Stops watching a descriptor.
    func forget(_ descriptor: Int32) {
        loop_epoll_forget(epoll, descriptor)
    }

    /// Waits for events or a signal.
    /// - Parameter milliseconds: The longest wait; negative for no limit, 0 for no wait.
    func wait(milliseconds: Int32, _ events: inout Events) {
        events.count = unsafe events.buffer.withUnsafeMutableBufferPointer {
            unsafe Int(loop_epoll_wait(epoll, $0.baseAddress, Int32($0.count), milliseconds))
        }
    }

    /// The events of a wait.
    struct Events {
        fileprivate var buffer = [loop_event](repeating: loop_event(), count: 256)
        fileprivate(set) var count = 0

        subscript(index: Int) -> (descriptor: Int32, token: UInt32, readiness: Readiness) {
            let event = buffer[index]
            return (event.descriptor, event.token, Readiness(rawValue: event.readiness))
        }
    }
}

/// The thread of an event loop.
package struct LoopThread: Sendable {
    private let handle: pthread_t

    /// Creates a thread that runs the body once. The body is released when it has run.
    /// - Returns: `nil` when the process may not have another thread.
    package init?(name: String, _ body: @escaping @Sendable () -> Void) {
        let context = unsafe Unmanaged.passRetained(Context(name: name, body: body))
        var handle = pthread_t()
        let result = unsafe pthread_create(
            &handle, nil,
            { pointer in
                // The pointer is the context retained above, and this thread is the only one to take it.
                guard let pointer = unsafe pointer else { return nil }
                let context = unsafe Unmanaged<Context>.fromOpaque(pointer).takeRetainedValue()
                unsafe context.name.withCString { unsafe loop_prepare_thread($0) }
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
    package func join() {
        pthread_join(handle, nil)
    }

    /// Lets the thread end by itself.
    package func detach() {
        pthread_detach(handle)
    }

    /// A number that tells the running threads of the process apart, never 0.
    static var current: UInt { UInt(pthread_self()) }

    /// Nanoseconds of a monotonic clock.
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
