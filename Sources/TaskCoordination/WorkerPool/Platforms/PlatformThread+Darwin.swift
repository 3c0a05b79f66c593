// SPDX-License-Identifier: MIT
#if canImport(Darwin)
package import Darwin

/// The system's threads: the few calls that pools and event loops make.
package enum PlatformThread {
    package typealias Handle = pthread_t

    /// The system keeps 63 bytes of a thread's name.
    static let labelLimit = 63

    /// Starts a thread that runs `body` and ends.
    ///
    /// - Parameters:
    ///   - stackByteCount: The size of its stack; `nil` for the usual one.
    ///   - body: What it runs.
    /// - Returns: `nil` when the system gives none; `errno` then says why.
    package static func start(stackByteCount: Int? = nil, _ body: @escaping @Sendable () -> Void) -> Handle? {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if let stackByteCount { unsafe pthread_attr_setstacksize(&attributes, stackByteCount) }
        // Balanced by `takeRetainedValue` on the new thread, or by `release` when there is none.
        let box = unsafe Unmanaged.passRetained(ThreadBody(run: body))
        var handle: pthread_t?
        let status = unsafe pthread_create(&handle, &attributes, runThreadBody, box.toOpaque())
        guard status == 0 else {
            unsafe box.release()
            errno = status
            return nil
        }
        return unsafe handle
    }

    /// Names the current thread.
    ///
    /// Nice values belong to the process here, so a nicer thread takes the utility class.
    static func describeCurrent(label: String, niceness: Int) {
        unsafe pthread_setname_np(label)
        if niceness > 0 { pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0) }
    }

    /// Waits until the thread has ended.
    package static func join(_ handle: Handle) {
        unsafe pthread_join(handle, nil)
    }

    /// Lets the thread end unobserved.
    package static func detach(_ handle: Handle) {
        unsafe pthread_detach(handle)
    }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    return nil
}
#endif
