// SPDX-License-Identifier: MIT
internal import Glibc
internal import Locks

/// A switch that opens once and that any number of threads can wait for together with their sockets.
///
/// It is a pipe whose writing end is closed to open it: every `poll` on the reading end then wakes, and later ones
/// return at once. The first wait makes the pipe, so a latch without waits costs no descriptor.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var reading: CInt?
        var writing: CInt?
    }

    private let state = Mutex(State())

    deinit {
        state.withLock { state in
            for descriptor in [state.reading, state.writing] {
                if let descriptor { Glibc.close(descriptor) }
            }
        }
    }

    /// Whether the latch was opened.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Lets all threads pass, the waiting and all later ones.
    ///
    /// Later calls do nothing.
    func open() {
        state.withLock { state in
            state.isOpen = true
            if let writing = state.writing { Glibc.close(writing) }
            state.writing = nil
        }
    }

    /// The descriptor that becomes readable, by end of file, when the latch opens.
    ///
    /// Valid as long as the latch lives.
    ///
    /// - Returns: `nil` when the latch is open already.
    /// - Throws: ``OriginError`` with code `.system` when the process has no descriptors left.
    func descriptor() throws(OriginError) -> CInt? {
        try state.withLock { state throws(OriginError) in
            if state.isOpen { return nil }
            if let reading = state.reading { return reading }
            var ends: [CInt] = [-1, -1]
            guard unsafe pipe(&ends) == 0 else {
                throw OriginError(.system, "No pipe to wait at: raise `ulimit -n`.", errorNumber: errno)
            }
            for end in ends { SystemSocket.closeOnExec(end) }
            state.reading = ends[0]
            state.writing = ends[1]
            return ends[0]
        }
    }
}
