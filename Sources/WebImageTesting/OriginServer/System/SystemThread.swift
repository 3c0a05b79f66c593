// SPDX-License-Identifier: MIT
internal import Glibc
internal import TaskCoordination

/// A thread of the operating system, with `SIGPIPE` blocked: a write to a closed socket returns an error there and
/// cannot end the process.
struct SystemThread: Sendable {
    private let handle: PlatformThread.Handle

    /// Starts a thread that runs `body` and ends.
    ///
    /// Every started thread must be joined once, by ``join()``.
    ///
    /// - Throws: ``OriginError`` with code `.system` when the limit of threads or of memory is reached.
    static func start(
        stackByteCount: Int, _ body: @escaping @Sendable () -> Void
    ) throws(OriginError) -> SystemThread {
        let handle = PlatformThread.start(stackByteCount: stackByteCount) {
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
            body()
        }
        guard let handle else {
            throw OriginError(.system, "No thread to be had: raise `ulimit -u`.", errorNumber: errno)
        }
        return SystemThread(handle: handle)
    }

    /// Waits for the end of the thread, or detaches it when it is the calling one.
    func join() {
        if pthread_equal(handle, pthread_self()) != 0 {
            PlatformThread.detach(handle)
        } else {
            PlatformThread.join(handle)
        }
    }
}
