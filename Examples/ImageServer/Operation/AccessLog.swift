// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// One line of JSON for each request, on a stream.
///
/// A thread of its own writes. When the reader of the stream does not keep up, lines are dropped and counted in a later
/// line, and requests are never delayed.
final class AccessLog: Sendable {
    private struct Pending {
        var bytes: [UInt8] = []
        var droppedCount = 0
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
    func write(_ request: FinishedRequest, at now: Date = .now) {
        let line = Array((Self.line(request, at: now) + "\n").utf8)
        let begins = pending.withLock { pending in
            guard pending.bytes.count + line.count <= byteLimit else {
                pending.droppedCount += 1
                return false
            }
            if pending.droppedCount > 0 {
                pending.bytes += Array("{\"droppedLines\":\(pending.droppedCount)}\n".utf8)
                pending.droppedCount = 0
            }
            pending.bytes += line
            defer { pending.isWriting = true }
            return !pending.isWriting
        }
        if begins { queue.async { self.writePending() } }
    }

    /// Waits until all lines are written, or the reader has not taken them in time.
    func flush(within seconds: Double = 1) {
        let end = DispatchWorkItem {}
        queue.async(execute: end)
        _ = end.wait(timeout: .now() + seconds)
    }

    private func writePending() {
        while true {
            let bytes = pending.withLock { pending in
                defer { pending.bytes = [] }
                pending.isWriting = !pending.bytes.isEmpty
                return pending.bytes
            }
            guard !bytes.isEmpty else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe Foundation.write(descriptor, $0.baseAddress, $0.count)
                }
                if count < 0, errno != EINTR { break }  // the reader has left
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    /// The line of a request, without its end.
    static func line(_ request: FinishedRequest, at now: Date) -> String {
        let milliseconds = (request.took / .microseconds(1)).rounded() / 1_000
        var members = [
            ("time", now.ISO8601Format(.init(includingFractionalSeconds: true)).quotedJSON),
            ("id", request.id.quotedJSON), ("peer", request.peer.quotedJSON), ("method", request.method.quotedJSON),
            ("target", String(request.target.prefix(1_000)).quotedJSON), ("status", String(request.status)),
            ("bytes", String(request.byteCount)), ("milliseconds", String(milliseconds)),
            ("complete", String(request.isComplete)),
        ]
        if !request.trace.isEmpty { members.insert(("trace", request.trace.quotedJSON), at: 2) }
        members += request.notes.map { ($0.name, $0.value.quotedJSON) }
        return "{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}"
    }
}
