// SPDX-License-Identifier: MIT
internal import Glibc

/// A thread of the operating system, with `SIGPIPE` blocked: a write to a closed socket returns an error there and
/// cannot end the process.
struct SystemThread: Sendable {
    private let handle: pthread_t

    /// Starts a thread that runs `body` and ends.
    ///
    /// Every started thread must be joined once, by ``join()``.
    ///
    /// - Throws: ``OriginError`` with code `.system` when the limit of threads or of memory is reached.
    static func start(
        stackByteCount: Int, _ body: @escaping @Sendable () -> Void
    ) throws(OriginError) -> SystemThread {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackByteCount)

        // The box is retained here and released by the thread, exactly once, or below when there is no thread.
        let box = unsafe Unmanaged.passRetained(Body(run: body))
        var handle = pthread_t()
        let result = unsafe pthread_create(
            &handle, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                SystemThread.blockBrokenPipeSignal()
                let body = unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                body.run()
                return nil
            }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            throw OriginError(.system, "No thread to be had: raise `ulimit -u`.", errorNumber: result)
        }
        return SystemThread(handle: handle)
    }

    /// Waits for the end of the thread, or detaches it when it is the calling one.
    func join() {
        if pthread_equal(handle, pthread_self()) != 0 {
            pthread_detach(handle)
        } else {
            pthread_join(handle, nil)
        }
    }

    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
