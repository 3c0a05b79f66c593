// SPDX-License-Identifier: MIT
import Dispatch
import Locks
import PlatformBasics
import WebImage

/// One line of JSON for each request, and for each step of a load where that is wanted, on a stream.
///
/// A thread of its own writes, fifty times a second at most, because waking it costs more than the lines do. When the
/// reader of the stream does not keep up, lines are dropped and counted in a later line, and requests are never
/// delayed.
final class AccessLog: Sendable {
    private struct Pending {
        var lines = LogLines()
        var droppedCount = 0
        /// Whether the thread writes, or will.
        var isWriting = false
    }

    private let pending = Mutex(Pending())
    private let queue = DispatchQueue(label: "log")
    private let descriptor: Int32
    private let byteLimit: Int

    /// - Parameters:
    ///   - descriptor: The stream. Not closed.
    ///   - byteLimit: The largest number of bytes that wait to be written.
    init(descriptor: Int32 = STDOUT_FILENO, byteLimit: Int = 1 << 20) {
        self.descriptor = descriptor
        self.byteLimit = byteLimit
    }

    /// Adds the line of a request.
    func write(_ request: FinishedRequest, at now: Date = .now) { write { $0.add(request, at: now) } }

    /// Adds the line of a step of a load, if it is one that is logged.
    func write(_ activity: LoadActivity, at now: Date = .now) { write { $0.add(activity, at: now) } }

    private func write(_ add: (inout LogLines) -> Void) {
        let delay: DispatchTimeInterval? = pending.withLock { pending in
            let start = pending.lines.bytes.count
            if pending.droppedCount > 0 { pending.lines.add(droppedCount: pending.droppedCount) }
            add(&pending.lines)
            let count = pending.lines.bytes.count
            guard count <= byteLimit else {
                pending.lines.bytes.removeSubrange(start...)
                pending.droppedCount += 1
                return nil
            }
            guard count > start else { return nil }
            pending.droppedCount = 0
            defer { pending.isWriting = true }
            if !pending.isWriting { return .milliseconds(20) }
            return start <= byteLimit / 2 && count > byteLimit / 2 ? .milliseconds(0) : nil
        }
        if let delay { queue.asyncAfter(deadline: .now() + delay) { self.writePending() } }
    }

    /// Waits until all lines are written, or the reader has not taken them in time.
    func flush(within seconds: Double = 1) {
        let end = DispatchWorkItem { self.writePending() }
        queue.async(execute: end)
        _ = end.wait(timeout: .now() + seconds)
    }

    private func writePending() {
        var bytes: [UInt8] = []
        while true {
            // The two buffers take turns.
            bytes.removeAll(keepingCapacity: true)
            pending.withLock { pending in
                swap(&pending.lines.bytes, &bytes)
                pending.isWriting = !bytes.isEmpty
            }
            guard !bytes.isEmpty else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe PlatformBasics.write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno != EINTR { break }  // the reader has left
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}
