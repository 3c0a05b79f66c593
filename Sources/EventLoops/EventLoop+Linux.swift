// SPDX-License-Identifier: MIT
#if os(Linux)
internal import CEventLoopShims
internal import Glibc
package import TaskCoordination

/// Waits for descriptors with epoll, and for signals of other threads with an eventfd.
///
/// All methods may be called on any thread, because the kernel locks. Both descriptors are closed on deinitialisation.
struct Poller: ~Copyable, Sendable {
    let epoll: Int32
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

extension PlatformThread {
    /// Starts a thread that runs `body` and takes no signals.
    ///
    /// - Returns: `nil` when the process may not have another thread.
    package static func start(for name: String, _ body: @escaping @Sendable () -> Void) -> Handle? {
        start {
            unsafe name.withCString { unsafe loop_prepare_thread($0) }
            body()
        }
    }

    /// A number that tells the running threads of the process apart, never 0.
    static var current: UInt { UInt(pthread_self()) }

    /// Nanoseconds of a monotonic clock.
    static var nanoseconds: UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
#endif
