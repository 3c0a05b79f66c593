#if os(Linux)
import CLibcurl
import CTransportShims
import Glibc

/// Waits for descriptors with epoll, and for a signal from other threads with an eventfd.
///
/// Owned by one event loop: only ``signal()`` may be called by other threads, and only until ``close()``.
// Unchecked: two constant integers, and buffers which only the loop's thread touches.
@safe struct Poller: ~Copyable, @unchecked Sendable {
    /// Most events taken at once.
    private static let capacity = 256

    private let epoll: Int32
    private let event: Int32
    private let descriptors = UnsafeMutableBufferPointer<Int32>.allocate(capacity: capacity)
    private let actions = UnsafeMutableBufferPointer<Int32>.allocate(capacity: capacity)

    /// Opens two descriptors.
    /// - Returns: `nil` when the process has none left.
    init?() {
        let epoll = transport_epoll_create()
        guard epoll >= 0 else { return nil }
        let event = transport_eventfd_create()
        guard event >= 0, transport_epoll_watch(epoll, event, CURL_POLL_IN, 1) == 0 else {
            Glibc.close(epoll)
            if event >= 0 { Glibc.close(event) }
            return nil
        }
        self.epoll = epoll
        self.event = event
        unsafe descriptors.initialize(repeating: 0)
        unsafe actions.initialize(repeating: 0)
    }

    deinit {
        unsafe descriptors.deallocate()
        unsafe actions.deallocate()
    }

    /// Closes both descriptors.
    ///
    /// Nothing may be called afterwards.
    func close() {
        Glibc.close(epoll)
        Glibc.close(event)
    }

    /// Ends the current or the next wait.
    func signal() {
        transport_eventfd_signal(event)
    }

    /// Watches a descriptor for what libcurl asks for (`CURL_POLL_*`).
    /// - Returns: Whether the kernel agreed.
    func watch(_ descriptor: Int32, for what: Int32, isNew: Bool) -> Bool {
        transport_epoll_watch(epoll, descriptor, what, isNew ? 1 : 0) == 0
    }

    /// Stops watching a descriptor.
    func forget(_ descriptor: Int32) {
        transport_epoll_forget(epoll, descriptor)
    }

    /// Waits and reports descriptors with what they are ready for (`CURL_CSELECT_*`).
    /// - Parameter milliseconds: Longest wait; negative for none, 0 to look only.
    func wait(milliseconds: Int32, _ handle: (_ descriptor: Int32, _ actions: Int32) -> Void) {
        let count = unsafe transport_epoll_wait(
            epoll, descriptors.baseAddress, actions.baseAddress, Int32(Self.capacity), milliseconds)
        for index in 0..<max(0, Int(count)) {
            let descriptor = unsafe descriptors[index]
            if descriptor == event {
                transport_eventfd_clear(event)
            } else {
                unsafe handle(descriptor, actions[index])
            }
        }
    }
}
#endif
