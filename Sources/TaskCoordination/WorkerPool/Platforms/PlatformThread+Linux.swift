// SPDX-License-Identifier: MIT
#if canImport(Glibc)
package import Glibc

/// The system's threads: the few calls that pools and event loops make.
package enum PlatformThread {
    package typealias Handle = pthread_t

    /// The system keeps 15 bytes of a thread's name.
    static let labelLimit = 15

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
        var handle = pthread_t()
        let status = unsafe pthread_create(&handle, &attributes, runThreadBody, box.toOpaque())
        guard status == 0 else {
            unsafe box.release()
            errno = status
            return nil
        }
        return handle
    }

    /// Names the current thread and makes it nicer.
    ///
    /// What the system refuses is left as it is.
    static func describeCurrent(label: String, niceness: Int) {
        // Glibc declares `pthread_setname_np` for GNU sources only, and `prctl` is variadic.
        if let file = unsafe fopen("/proc/thread-self/comm", "w") {
            unsafe fputs(label, file)
            unsafe fclose(file)
        }
        guard niceness != 0 else { return }
        // On Linux the nice value belongs to the thread, and 0 is the calling one.
        let thread = __priority_which_t(PRIO_PROCESS.rawValue)
        let nice = getpriority(thread, 0).addingReportingOverflow(CInt(clamping: niceness))
        _ = setpriority(thread, 0, nice.overflow ? CInt.max : nice.partialValue)
    }

    /// Waits until the thread has ended.
    package static func join(_ handle: Handle) {
        pthread_join(handle, nil)
    }

    /// Lets the thread end unobserved.
    package static func detach(_ handle: Handle) {
        pthread_detach(handle)
    }
}

private func runThreadBody(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let argument = unsafe argument {
        unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
    }
    return nil
}
#endif
